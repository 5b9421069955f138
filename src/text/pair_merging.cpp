#include "gumption/text/pair_merging.h"

#include <algorithm>

namespace gumption {

void PairMerger::add_word(const std::vector<Symbol>& symbols, std::uint64_t count) {
  if (symbols.size() < 2) return;
  words_.push_back({symbols_.size(), static_cast<std::uint32_t>(symbols.size()), count});
  symbols_.insert(symbols_.end(), symbols.begin(), symbols.end());
}

void PairMerger::change(Symbol left, Symbol right, std::int64_t by, std::uint32_t word) {
  const std::uint64_t key = key_of(left, right);
  Occurrences& occurrences = pairs_[key];
  occurrences.count += by;
  if (by < 0) return;
  if (occurrences.words.empty() || occurrences.words.back() != word) occurrences.words.push_back(word);
  if (grown_.empty() || grown_.back() != key) grown_.push_back(key);
}

void PairMerger::start() {
  for (std::uint32_t number = 0; number < words_.size(); ++number) {
    const Word& word = words_[number];
    for (std::size_t i = word.begin; i + 1 < word.begin + word.size; ++i) {
      change(symbols_[i], symbols_[i + 1], static_cast<std::int64_t>(word.count), number);
    }
    grown_.clear();
  }
  for (const auto& [key, occurrences] : pairs_) candidates_.push({occurrences.count, key});
}

bool PairMerger::commonest(std::uint64_t minimum, Pair& pair) {
  while (!candidates_.empty()) {
    const Candidate top = candidates_.top();
    candidates_.pop();
    const auto found = pairs_.find(top.key);
    const std::int64_t count = found == pairs_.end() ? 0 : found->second.count;
    if (count <= 0 || static_cast<std::uint64_t>(count) < minimum) continue;
    if (count != top.count) {  // an old entry: back to where it belongs now
      if (count < top.count) candidates_.push({count, top.key});
      continue;
    }
    pair = {static_cast<Symbol>(top.key >> 32), static_cast<Symbol>(top.key)};
    return true;
  }
  return false;
}

void PairMerger::merge(Pair pair, Symbol merged) {
  const auto found = pairs_.find(key_of(pair.left, pair.right));
  std::vector<std::uint32_t> words = std::move(found->second.words);
  pairs_.erase(found);
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  grown_.clear();
  for (const std::uint32_t number : words) merge_in_word(pair, merged, number);
  pairs_.erase(key_of(pair.left, pair.right));
  std::sort(grown_.begin(), grown_.end());
  grown_.erase(std::unique(grown_.begin(), grown_.end()), grown_.end());
  for (const std::uint64_t key : grown_) {
    const auto place = pairs_.find(key);
    if (place != pairs_.end() && place->second.count > 0) candidates_.push({place->second.count, key});
  }
}

void PairMerger::merge_in_word(Pair pair, Symbol merged, std::uint32_t number) {
  Word& word = words_[number];
  Symbol* symbols = symbols_.data() + word.begin;
  const auto count = static_cast<std::int64_t>(word.count);
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < word.size; ++i) {
    if (i + 1 >= word.size || symbols[i] != pair.left || symbols[i + 1] != pair.right) {
      symbols[kept++] = symbols[i];
      continue;
    }
    if (kept > 0) {
      change(symbols[kept - 1], pair.left, -count, number);
      change(symbols[kept - 1], merged, count, number);
    }
    if (i + 2 < word.size) {
      change(pair.right, symbols[i + 2], -count, number);
      change(merged, symbols[i + 2], count, number);
    }
    symbols[kept++] = merged;
    ++i;
  }
  word.size = kept;
}

}  // namespace gumption
