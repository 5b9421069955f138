#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gumption/base/thread_pool.h"
#include "gumption/data/question.h"

namespace gumption {

/// Two questions (by the order in which they were added, `first` < `second`) that share most of their word trigrams.
struct SimilarPair {
  std::size_t first = 0;
  std::size_t second = 0;
  double similarity = 0;

  bool operator==(const SimilarPair&) const = default;
};

/// Finds questions whose word trigrams (over context, question and choices, in this order) have a Jaccard similarity of
/// at least a threshold. Exact, by prefix filtering: two sets that similar must share one of their rarest trigrams, so
/// only questions that do are compared. Adding is not thread-safe.
class NearDuplicateFinder {
 public:
  void add(const Question& question);

  /// For each question that is near an earlier one: its most similar earlier question (the first of several). Ordered
  /// by `second`. `threshold` must be in (0, 1].
  std::vector<SimilarPair> find(double threshold, ThreadPool& pool) const;

  std::size_t size() const { return ends_.size(); }

  /// Sorted, distinct trigram hashes of a question; what the similarity is taken over.
  static std::vector<std::uint64_t> shingles_of(const Question& question);

 private:
  std::vector<std::uint64_t> shingles_;  // of all questions, one after another
  std::vector<std::size_t> ends_;
};

}  // namespace gumption
