#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace gumption {

/// Many numbers that are written before they are read: unlike a vector's, their memory is first touched by whoever
/// writes them, which may be several threads. It is used again from one reset() to the next.
class NumberArray {
 public:
  /// Makes room for `size` numbers and forgets those that were there.
  void reset(std::size_t size);

  std::uint32_t* data() { return numbers_.get(); }
  std::span<const std::uint32_t> span() const { return {numbers_.get(), size_}; }
  std::size_t size() const { return size_; }

 private:
  std::unique_ptr<std::uint32_t[]> numbers_;
  std::size_t room_ = 0;
  std::size_t size_ = 0;
};

}  // namespace gumption
