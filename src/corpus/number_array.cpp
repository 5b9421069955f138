#include "gumption/corpus/number_array.h"

#include <sys/mman.h>

namespace gumption {

namespace {

/// Asks for large pages, which spare most of the look-ups of addresses when memory is read all over the place. Only a
/// wish: where there are none, nothing changes.
void wish_large_pages(void* data, std::size_t size) {
  constexpr std::size_t kPage = std::size_t{1} << 21;
  const std::size_t before = (kPage - reinterpret_cast<std::uintptr_t>(data) % kPage) % kPage;
  if (size < before + kPage) return;
  ::madvise(static_cast<char*>(data) + before, (size - before) / kPage * kPage, MADV_HUGEPAGE);
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
