#include "gumption/corpus/number_array.h"

#include <sys/mman.h>

namespace gumption {

namespace {

/// Asks for large pages, which spare most of the look-ups of addresses when memory is read all over the place. Only a
/// wish: where there are none, nothing changes.
void wish_large_pages(const void* data, std::size_t size) {
  constexpr std::uintptr_t kPage = std::uintptr_t{1} << 21;
  const auto begin = (reinterpret_cast<std::uintptr_t>(data) + kPage - 1) / kPage * kPage;
  const auto end = (reinterpret_cast<std::uintptr_t>(data) + size) / kPage * kPage;
  if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

}  // namespace

void NumberArray::reset(std::size_t size) {
  size_ = size;
  if (size <= room_) return;
  numbers_.reset();
  numbers_ = std::make_unique_for_overwrite<std::uint32_t[]>(size);
  room_ = size;
  wish_large_pages(numbers_.get(), size * sizeof(std::uint32_t));
}

}  // namespace gumption
