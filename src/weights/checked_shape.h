#pragma once

// Arithmetic on shapes that come from files, which may say anything.

#include <cstdint>
#include <optional>
#include <vector>

#include "gumption/weights/tensor_store.h"

namespace gumption {

/// More dimensions than this are refused: nothing real has them, and each costs memory.
inline constexpr std::size_t kMostDimensions = 32;

/// The number of elements; empty for a negative extent, too many dimensions, or a product that doesn't fit.
std::optional<std::int64_t> checked_count(const std::vector<std::int64_t>& shape);

/// The number of bytes; empty also where that doesn't fit.
std::optional<std::uint64_t> checked_bytes(const std::vector<std::int64_t>& shape, ElementType type);

}  // namespace gumption
