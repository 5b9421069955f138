#pragma once

// Counts of words and of ordered pairs, wherever they come from.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gumption/base/options.h"

namespace gumption {

/// `first` before `second`.
struct WordPair {
  std::string first;
  std::string second;

  auto operator<=>(const WordPair&) const = default;
};

/// How much text was counted.
struct TextTotals {
  std::uint64_t words = 0;
  std::uint64_t documents = 0;  // with at least one word
  std::uint64_t bytes = 0;      // unpacked

  bool operator==(const TextTotals&) const = default;
};

/// How often words occur in a text, and how often one stands before another within a window: at 1 to W positions'
/// distance, in the same document, every pair of occurrences counted. Thread-safe.
class PairCounts {
 public:
  virtual ~PairCounts() = default;

  /// Window sizes, ascending.
  virtual const std::vector<std::uint64_t>& windows() const = 0;
  virtual const TextTotals& totals() const = 0;

  /// Words are lower-cased by the caller, in the sense of words_of(); the counts' own form (stem, lemma) is applied
  /// here. 0 for a word that isn't counted.
  virtual std::uint64_t count_of(std::string_view word) const = 0;

  /// One count for each window. Zeros for words and pairs that aren't counted.
  virtual std::vector<std::uint64_t> count_of(std::string_view first, std::string_view second) const = 0;

  /// The place of a window in windows(). UserError, with those there are, where it isn't one of them.
  std::size_t window_index(std::uint64_t window) const;
};

/// "5,25,50" as a list of windows: ascending, each once, from 1 to 10,000, at most 8. UserError otherwise.
std::vector<std::uint64_t> parse_windows(std::string_view text);

/// The place, in ascending windows, of the smallest that holds each distance from 0 to the largest. 0 stands for no
/// distance at all and has no meaning.
std::vector<std::uint8_t> bucket_of_distance(std::span<const std::uint64_t> windows);

}  // namespace gumption
