#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace gumption {

/// How often each of many words occurs. Not thread-safe.
class WordCounts {
 public:
  struct Counted {
    std::string_view word;  // lives as long as the counts, unchanged
    std::uint64_t count = 0;
  };

  WordCounts();

  void add(std::string_view word, std::uint64_t count = 1);
  void add_all(const WordCounts& others);

  /// Number of different words.
  std::size_t size() const { return used_; }

  /// Forgets the rarest words, all that are equally rare at once, until at most `most` are left.
  void keep_commonest(std::size_t most);

  /// In the order of their bytes.
  std::vector<Counted> sorted() const;

 private:
  struct Slot {
    std::uint64_t hash = 0;
    std::uint64_t count = 0;  // 0: free
    std::uint64_t begin = 0;  // in letters_
    std::uint64_t size = 0;
  };

  std::string_view word_of(const Slot& slot) const { return {letters_.data() + slot.begin, slot.size}; }
  Slot& place_of(std::string_view word, std::uint64_t hash);
  void add_hashed(std::string_view word, std::uint64_t hash, std::uint64_t count);
  void grow();

  std::vector<Slot> slots_;
  std::vector<char> letters_;
  std::size_t used_ = 0;
};

}  // namespace gumption
