#include "gumption/text/word_counts.h"

#include <algorithm>
#include <map>

#include "gumption/base/random.h"

namespace gumption {

WordCounts::WordCounts() : slots_(1 << 12) {}

WordCounts::Slot& WordCounts::place_of(std::string_view word, std::uint64_t hash) {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    Slot& slot = slots_[at];
    if (slot.count == 0 || (slot.hash == hash && word_of(slot) == word)) return slot;
  }
}

void WordCounts::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.count > 0) place_of(word_of(slot), slot.hash) = slot;
  }
}

void WordCounts::add_hashed(std::string_view word, std::uint64_t hash, std::uint64_t count) {
  Slot& slot = place_of(word, hash);
  if (slot.count > 0) {
    slot.count += count;
    return;
  }
  slot = {hash, count, letters_.size(), word.size()};
  letters_.insert(letters_.end(), word.begin(), word.end());
  if (++used_ * 2 > slots_.size()) grow();
}

void WordCounts::add(std::string_view word, std::uint64_t count) { add_hashed(word, stable_hash(word), count); }

void WordCounts::add_all(const WordCounts& others) {
  for (const Slot& slot : others.slots_) {
    if (slot.count > 0) add_hashed(others.word_of(slot), slot.hash, slot.count);
  }
}

void WordCounts::keep_commonest(std::size_t most) {
  if (used_ <= most) return;
  std::map<std::uint64_t, std::size_t> words_by_count;
  for (const Slot& slot : slots_) {
    if (slot.count > 0) ++words_by_count[slot.count];
  }
  std::uint64_t rarest_kept = 0;
  std::size_t left = used_;
  for (const auto& [count, words] : words_by_count) {
    if (left <= most) break;
    left -= words;
    rarest_kept = count + 1;
  }
  WordCounts kept;
  for (const Slot& slot : slots_) {
    if (slot.count > 0 && slot.count >= rarest_kept) kept.add_hashed(word_of(slot), slot.hash, slot.count);
  }
  *this = std::move(kept);
}

std::vector<WordCounts::Counted> WordCounts::sorted() const {
  std::vector<Counted> words;
  words.reserve(used_);
  for (const Slot& slot : slots_) {
    if (slot.count > 0) words.push_back({word_of(slot), slot.count});
  }
  std::sort(words.begin(), words.end(), [](const Counted& a, const Counted& b) { return a.word < b.word; });
  return words;
}

}  // namespace gumption
