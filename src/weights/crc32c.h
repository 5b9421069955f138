#pragma once

#include <cstdint>
#include <string_view>

namespace gumption {

/// The Castagnoli sum of `bytes`.
std::uint32_t crc32c(std::string_view bytes);

/// As TensorFlow and LevelDB store it: rotated and shifted, so that a sum over data with sums in it stays a good one.
std::uint32_t masked_crc32c(std::string_view bytes);

}  // namespace gumption
