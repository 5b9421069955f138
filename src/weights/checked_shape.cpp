#include "gumption/weights/checked_shape.h"

namespace gumption {

std::optional<std::int64_t> checked_count(const std::vector<std::int64_t>& shape) {
  if (shape.size() > kMostDimensions) return std::nullopt;
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 0 || __builtin_mul_overflow(count, extent, &count)) return std::nullopt;
  }
  return count;
}

std::optional<std::uint64_t> checked_bytes(const std::vector<std::int64_t>& shape, ElementType type) {
  const auto count = checked_count(shape);
  std::uint64_t bytes = 0;
  if (!count || __builtin_mul_overflow(static_cast<std::uint64_t>(*count), size_of(type), &bytes)) return std::nullopt;
  return bytes;
}

}  // namespace gumption
