#pragma once

// The inner loop of training: the commonest pair of neighbours becomes one symbol, and so on.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <unordered_map>
#include <vector>

namespace gumption {

/// Words as sequences of symbols, with how often each occurs.
class PairMerger {
 public:
  using Symbol = std::uint32_t;

  struct Pair {
    Symbol left = 0;
    Symbol right = 0;
  };

  void add_word(const std::vector<Symbol>& symbols, std::uint64_t count);

  /// Call once, after all words.
  void start();

  /// The commonest pair, of equals the one with the smallest symbols; false when none occurs `minimum` times.
  bool commonest(std::uint64_t minimum, Pair& pair);

  /// Replaces each occurrence, from the left, by `merged`.
  void merge(Pair pair, Symbol merged);

 private:
  struct Word {
    std::size_t begin = 0;  // in symbols_
    std::uint32_t size = 0;
    std::uint64_t count = 0;
  };
  struct Occurrences {
    std::int64_t count = 0;
    std::vector<std::uint32_t> words;  // those that have or had the pair, some of them twice
  };
  struct Candidate {
    std::int64_t count = 0;
    std::uint64_t key = 0;
    bool operator<(const Candidate& other) const {
      return count != other.count ? count < other.count : key > other.key;
    }
  };
  struct KeyHash {
    std::size_t operator()(std::uint64_t key) const {
      key *= 0x9E3779B97F4A7C15ULL;
      return static_cast<std::size_t>(key ^ (key >> 32));
    }
  };

  static std::uint64_t key_of(Symbol left, Symbol right) { return (std::uint64_t{left} << 32) | right; }
  void change(Symbol left, Symbol right, std::int64_t by, std::uint32_t word);
  void merge_in_word(Pair pair, Symbol merged, std::uint32_t number);

  std::vector<Symbol> symbols_;
  std::vector<Word> words_;
  std::unordered_map<std::uint64_t, Occurrences, KeyHash> pairs_;
  std::priority_queue<Candidate> candidates_;
  std::vector<std::uint64_t> grown_;  // pairs that got more by the merge in hand
};

}  // namespace gumption
