#include "gumption/weights/transpose.h"

#include <algorithm>
#include <cstring>

#include "gumption/base/error.h"

namespace gumption {

namespace {

constexpr std::size_t kTile = 32;  // both sides of a tile stay in the first cache

template <std::size_t kWidth>
void transpose(const char* from, std::size_t rows, std::size_t columns, char* to) {
  for (std::size_t top = 0; top < rows; top += kTile) {
    for (std::size_t left = 0; left < columns; left += kTile) {
      const std::size_t bottom = std::min(top + kTile, rows);
      const std::size_t right = std::min(left + kTile, columns);
      for (std::size_t column = left; column < right; ++column) {
        for (std::size_t row = top; row < bottom; ++row) {
          std::memcpy(to + (column * rows + row) * kWidth, from + (row * columns + column) * kWidth, kWidth);
        }
      }
    }
  }
}

}  // namespace

std::string transposed(const StoredTensor& tensor) {
  ensure(tensor.shape.size() == 2, "only a matrix is transposed");
  const auto rows = static_cast<std::size_t>(tensor.shape[0]);
  const auto columns = static_cast<std::size_t>(tensor.shape[1]);
  std::string bytes(tensor.bytes.size(), '\0');
  switch (size_of(tensor.type)) {
    case 8:
      transpose<8>(tensor.bytes.data(), rows, columns, bytes.data());
      break;
    case 4:
      transpose<4>(tensor.bytes.data(), rows, columns, bytes.data());
      break;
    case 2:
      transpose<2>(tensor.bytes.data(), rows, columns, bytes.data());
      break;
    default:
      transpose<1>(tensor.bytes.data(), rows, columns, bytes.data());
      break;
  }
  return bytes;
}

}  // namespace gumption
