#pragma once

// Whether one system is better than another on the same questions, and than chance. All of it turns on four counts.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "gumption/base/distributions.h"
#include "gumption/base/options.h"

namespace gumption {

/// How often two systems were right on the same questions.
struct PairedCounts {
  std::size_t both = 0;
  std::size_t only_a = 0;
  std::size_t only_b = 0;
  std::size_t neither = 0;

  void add(bool a_is_right, bool b_is_right);

  std::size_t n() const { return both + only_a + only_b + neither; }
  std::size_t discordant() const { return only_a + only_b; }
  std::size_t correct_a() const { return both + only_a; }
  std::size_t correct_b() const { return both + only_b; }

  /// A's accuracy less B's; 0 for no questions.
  double difference() const;
};

/// Counts over two lists of right and wrong, in the same order of questions and of the same length.
PairedCounts count_pairs(const std::vector<bool>& a, const std::vector<bool>& b);

struct ComparisonOptions {
  std::uint64_t shuffles = 9'999;   // of the randomisation test
  std::uint64_t resamples = 9'999;  // of the bootstrap
  std::uint64_t seed = 1;
};

OptionSet describe(ComparisonOptions& options);

/// Approximate randomisation (Noreen), two-sided, as COPA's evaluation does it: the answers of the two systems change
/// places at random, question by question, and p = (shuffles whose difference of accuracies is at least as far from 0
/// as the observed one, plus 1) / (shuffles + 1). The same seed gives the same p, whichever system comes first.
double randomisation_test(const PairedCounts& counts, std::uint64_t shuffles, std::uint64_t seed);

/// McNemar's exact test, two-sided: the binomial over the questions that one of the two got right. It is what the
/// randomisation test comes to with infinitely many shuffles. 1 where the systems never differ.
double mcnemar_test(const PairedCounts& counts);

/// 95% percentile interval of A's accuracy less B's over resampled questions; `counts` must not be empty, `resamples`
/// be 39 at least. Turning the systems around turns the interval around.
Interval bootstrap_difference(const PairedCounts& counts, std::uint64_t resamples, std::uint64_t seed);

/// One system against another.
struct Comparison {
  PairedCounts counts;
  Interval interval;  // of counts.difference(), 95%
  double p_randomisation = 1;
  double p_mcnemar = 1;
};

/// All of the above; `counts` must not be empty.
Comparison compare(const PairedCounts& counts, const ComparisonOptions& options = {});

/// The papers' marks: "***" under .001, "**" under .01, "*" under .05, else "".
std::string_view stars(double p);

/// Holm's correction for several tests made at once: p values, in the order given, that may be held against the usual
/// levels.
std::vector<double> holm(const std::vector<double>& p_values);

}  // namespace gumption
