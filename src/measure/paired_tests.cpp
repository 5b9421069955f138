#include "gumption/measure/paired_tests.h"

#include <algorithm>
#include <numeric>

#include "gumption/base/error.h"
#include "gumption/base/random.h"

namespace gumption {

void PairedCounts::add(bool a_is_right, bool b_is_right) {
  std::size_t& count = a_is_right ? (b_is_right ? both : only_a) : (b_is_right ? only_b : neither);
  ++count;
}

double PairedCounts::difference() const {
  if (n() == 0) return 0;
  return (static_cast<double>(only_a) - static_cast<double>(only_b)) / static_cast<double>(n());
}

PairedCounts count_pairs(const std::vector<bool>& a, const std::vector<bool>& b) {
  ensure(a.size() == b.size(), "paired answers are to the same questions");
  PairedCounts counts;
  for (std::size_t i = 0; i < a.size(); ++i) counts.add(a[i], b[i]);
  return counts;
}

OptionSet describe(ComparisonOptions& options) {
  OptionSet set;
  set.add("shuffles", options.shuffles, "Shuffles of the randomisation test", {1, 100'000'000});
  set.add("resamples", options.resamples, "Resamples for the difference's interval", {39, 100'000'000});
  set.add("seed", options.seed, "Seed of both");
  return set;
}

double randomisation_test(const PairedCounts& counts, std::uint64_t shuffles, std::uint64_t seed) {
  // Where both are right or both wrong, changing places changes nothing. Of the d other questions, a shuffle gives A
  // a number k that is binomial with the chance 1/2, and the difference is k - (d - k).
  const std::uint64_t discordant = counts.discordant();
  const auto distance = [&](std::uint64_t to_a) {
    const std::uint64_t to_b = discordant - to_a;
    return to_a > to_b ? to_a - to_b : to_b - to_a;
  };
  const std::uint64_t observed = distance(counts.only_a);
  RandomStream stream(seed, "approximate randomisation");
  std::uint64_t as_far = 0;
  for (std::uint64_t i = 0; i < shuffles; ++i) {
    if (distance(stream.successes(discordant, 1, 2)) >= observed) ++as_far;
  }
  return static_cast<double>(as_far + 1) / static_cast<double>(shuffles + 1);
}

double mcnemar_test(const PairedCounts& counts) { return binomial_two_sided(counts.only_a, counts.discordant(), 0.5); }

Interval bootstrap_difference(const PairedCounts& counts, std::uint64_t resamples, std::uint64_t seed) {
  ensure(counts.n() > 0 && resamples >= 39, "there are questions, and resamples enough for 2.5%");
  const bool turned = counts.only_a < counts.only_b;
  const std::uint64_t more = std::max(counts.only_a, counts.only_b);
  const std::uint64_t discordant = counts.discordant();
  RandomStream stream(seed, "paired bootstrap");
  std::vector<double> differences(resamples);
  for (double& difference : differences) {
    // A resample draws n questions: how many are discordant, and how many of these favour the better system.
    const std::uint64_t drawn = stream.successes(counts.n(), discordant, counts.n());
    const std::uint64_t favour = discordant == 0 ? 0 : stream.successes(drawn, more, discordant);
    difference = (2 * static_cast<double>(favour) - static_cast<double>(drawn)) / static_cast<double>(counts.n());
  }
  std::sort(differences.begin(), differences.end());
  const std::size_t below = (resamples + 1) / 40;  // 2.5% of them, at least one
  const double low = differences[below - 1];
  const double high = differences[resamples - below];
  return turned ? Interval{-high, -low} : Interval{low, high};
}

Comparison compare(const PairedCounts& counts, const ComparisonOptions& options) {
  return {counts, bootstrap_difference(counts, options.resamples, options.seed),
          randomisation_test(counts, options.shuffles, options.seed), mcnemar_test(counts)};
}

std::string_view stars(double p) {
  if (p < 0.001) return "***";
  if (p < 0.01) return "**";
  return p < 0.05 ? "*" : "";
}

std::vector<double> holm(const std::vector<double>& p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return p_values[i] < p_values[j]; });
  std::vector<double> corrected(p_values.size());
  double highest = 0;  // a larger p never becomes the smaller one
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const auto left = static_cast<double>(order.size() - rank);
    highest = std::max(highest, std::min(1.0, left * p_values[order[rank]]));
    corrected[order[rank]] = highest;
  }
  return corrected;
}

}  // namespace gumption
