#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gumption/base/thread_pool.h"
#include "gumption/corpus/number_array.h"

namespace gumption {

/// A stretch of tokens, `end` not among them.
struct TokenRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

/// Where each word stands in a text that is given as numbers.
class Occurrences {
 public:
  /// Looks for all words below number `words` in some stretches of `tokens`, in place of what it had found before.
  void find(std::span<const std::uint32_t> tokens, std::span<const TokenRange> stretches, std::uint32_t words,
            ThreadPool& pool);

  /// A word's places, ascending.
  std::span<const std::uint32_t> of(std::uint32_t word) const {
    return places_.span().subspan(begins_[word], begins_[word + 1] - begins_[word]);
  }

 private:
  std::vector<std::uint32_t> begins_;  // one more than words
  NumberArray places_;
};

}  // namespace gumption
