#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gumption/corpus/word_scanner.h"

namespace gumption {

/// Words and a number for each, looked up as fast as a scanner gives them. Not thread-safe while words are added.
class WordTable {
 public:
  static constexpr std::uint32_t kAbsent = 0xFFFFFFFF;

  WordTable() : slots_(1 << 10) {}

  /// The word's number; kAbsent where it isn't in the table.
  std::uint32_t find(const ScannedWord& word) const {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = hash_of(word) & mask;; at = (at + 1) & mask) {
      const Slot& slot = slots_[at];
      if (slot.head == word.head && slot.length == word.length && same_rest(slot, word)) return slot.value;
      if (slot.length == 0) return kAbsent;
    }
  }
  /// `word` must not be empty.
  std::uint32_t find(std::string_view word) const { return find(ScannedWord::of(word)); }

  /// Adds a word that isn't in the table.
  void add(const ScannedWord& word, std::uint32_t value);
  void add(std::string_view word, std::uint32_t value) { add(ScannedWord::of(word), value); }

  std::size_t size() const { return used_; }

  /// Calls take(std::string_view word, std::uint32_t value) for each word, in no order.
  template <class Take>
  void for_each(Take&& take) const {
    std::string word;
    for (const Slot& slot : slots_) {
      if (slot.length == 0) continue;
      const std::size_t in_head = slot.length < ScannedWord::kHead ? slot.length : ScannedWord::kHead;
      word.assign(reinterpret_cast<const char*>(&slot.head), in_head);
      word.append(rests_, slot.rest, slot.length - in_head);
      take(std::string_view(word), slot.value);
    }
  }

 private:
  struct Slot {
    std::uint64_t head = 0;
    std::uint32_t length = 0;  // 0: free
    std::uint32_t value = 0;
    std::uint64_t rest = 0;  // where the bytes behind the head stand in rests_
  };

  static std::size_t hash_of(const ScannedWord& word) {
    constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15ULL;
    std::uint64_t hash = (word.head ^ word.length) * kFactor;
    for (std::size_t i = ScannedWord::kHead; i < word.length; i += ScannedWord::kHead) {
      std::uint64_t part = 0;
      std::memcpy(&part, word.letters + i, std::min(ScannedWord::kHead, word.length - i));
      hash = ((hash ^ (hash >> 32)) + part) * kFactor;
    }
    return static_cast<std::size_t>(hash ^ (hash >> 32));
  }

  bool same_rest(const Slot& slot, const ScannedWord& word) const {
    if (word.length <= ScannedWord::kHead) return true;
    return std::memcmp(rests_.data() + slot.rest, word.letters + ScannedWord::kHead,
                       word.length - ScannedWord::kHead) == 0;
  }

  void place(const Slot& slot, std::size_t hash);
  void grow();

  std::vector<Slot> slots_;
  std::string rests_;
  std::size_t used_ = 0;
};

}  // namespace gumption
