#include "gumption/measure/paired_tests.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gumption/base/random.h"

namespace gumption {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

PairedCounts counts_of(std::size_t both, std::size_t only_a, std::size_t only_b, std::size_t neither) {
  PairedCounts counts;
  counts.both = both;
  counts.only_a = only_a;
  counts.only_b = only_b;
  counts.neither = neither;
  return counts;
}

PairedCounts turned(PairedCounts counts) {
  std::swap(counts.only_a, counts.only_b);
  return counts;
}

TEST(PairedTests, CountsPairs) {
  const PairedCounts counts = count_pairs({true, true, false, false, true}, {true, false, true, false, false});
  EXPECT_EQ(counts.both, 1U);
  EXPECT_EQ(counts.only_a, 2U);
  EXPECT_EQ(counts.only_b, 1U);
  EXPECT_EQ(counts.neither, 1U);
  EXPECT_DOUBLE_EQ(counts.difference(), 0.2);
}

// Eight questions differ, seven to one: of 2^8 ways to change places, 2 · (8 + 1) are as far from even.
TEST(PairedTests, RandomisationComesToTheExactValue) {
  const PairedCounts counts = counts_of(3, 7, 1, 2);
  const double exact = 18.0 / 256;
  EXPECT_NEAR(mcnemar_test(counts), exact, 1e-12);
  constexpr std::uint64_t kMany = 1'000'000;
  EXPECT_NEAR(randomisation_test(counts, kMany, 1), exact, 5 * std::sqrt(exact * (1 - exact) / kMany));
}

// More than 64 differ, so that several words are drawn for one shuffle.
TEST(PairedTests, RandomisationNearsMcNemarForManyQuestions) {
  for (const auto& counts : {counts_of(900, 70, 45, 985), counts_of(10, 300, 260, 10), counts_of(0, 65, 63, 0)}) {
    const double exact = mcnemar_test(counts);
    constexpr std::uint64_t kMany = 200'000;
    EXPECT_NEAR(randomisation_test(counts, kMany, 5), exact, 5 * std::sqrt(exact * (1 - exact) / kMany) + 1e-5);
  }
}

/// The test as COPA's paper describes it, on whole lists of right and wrong.
double shuffled_by_hand(const std::vector<bool>& a, const std::vector<bool>& b, int shuffles, std::uint64_t seed) {
  const auto distance = [](const std::vector<bool>& one, const std::vector<bool>& other) {
    int difference = 0;
    for (std::size_t i = 0; i < one.size(); ++i) difference += int{one[i]} - int{other[i]};
    return std::abs(difference);
  };
  RandomStream stream(seed);
  int as_far = 0;
  for (int shuffle = 0; shuffle < shuffles; ++shuffle) {
    std::vector<bool> one = a;
    std::vector<bool> other = b;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (stream.below(2) == 0) continue;
      one[i] = b[i];
      other[i] = a[i];
    }
    if (distance(one, other) >= distance(a, b)) ++as_far;
  }
  return (as_far + 1.0) / (shuffles + 1.0);
}

TEST(PairedTests, RandomisationIsWhatShufflingWholeListsGives) {
  std::vector<bool> a;
  std::vector<bool> b;
  RandomStream stream(3);
  for (int i = 0; i < 200; ++i) {
    a.push_back(stream.below(10) < 6);
    b.push_back(stream.below(10) < 5);
  }
  constexpr int kShuffles = 20'000;
  const double ours = randomisation_test(count_pairs(a, b), kShuffles, 1);
  EXPECT_NEAR(ours, shuffled_by_hand(a, b, kShuffles, 9), 5 * std::sqrt(2 * ours * (1 - ours) / kShuffles));
}

TEST(PairedTests, SameSeedSameValueAndOrderDoesNotMatter) {
  const PairedCounts counts = counts_of(100, 40, 25, 35);
  EXPECT_EQ(randomisation_test(counts, 999, 7), randomisation_test(counts, 999, 7));
  EXPECT_NE(randomisation_test(counts, 999, 7), randomisation_test(counts, 999, 8));
  EXPECT_EQ(randomisation_test(counts, 999, 7), randomisation_test(turned(counts), 999, 7));
  EXPECT_NEAR(mcnemar_test(counts), mcnemar_test(turned(counts)), 1e-12);
  const Interval one = bootstrap_difference(counts, 999, 7);
  const Interval other = bootstrap_difference(turned(counts), 999, 7);
  EXPECT_EQ(one.low, -other.high);
  EXPECT_EQ(one.high, -other.low);
}

// COPA's PMI and "always first" on its development set. The exact p: 2 · (C(251,145) + … + C(251,251)) / 2^251, and the
// seeded one, which must come out the same on every platform.
TEST(PairedTests, CopasFourCounts) {
  const Comparison result = compare(counts_of(144, 145, 106, 105));
  EXPECT_NEAR(result.p_mcnemar, 0.01628998889669, 1e-12);
  EXPECT_DOUBLE_EQ(result.p_randomisation, 0.0165);
  EXPECT_DOUBLE_EQ(result.interval.low, 0.016);
  EXPECT_DOUBLE_EQ(result.interval.high, 0.140);
}

TEST(PairedTests, IdenticalSystemsDoNotDiffer) {
  const Comparison same = compare(counts_of(30, 0, 0, 20));
  EXPECT_EQ(same.p_randomisation, 1);
  EXPECT_EQ(same.p_mcnemar, 1);
  EXPECT_EQ(same.interval.low, 0);
  EXPECT_EQ(same.interval.high, 0);
}

TEST(PairedTests, TheSmallestPIsOneInAllShuffles) {
  EXPECT_DOUBLE_EQ(randomisation_test(counts_of(0, 200, 0, 0), 9'999, 1), 1e-4);
}

// The difference's standard error is sqrt((a + b - (a - b)²/n)/n²): for 60 and 30 of 1,000, sqrt(89.1)/1000 = .00944.
TEST(PairedTests, BootstrapIntervalIsNearTheNormalOne) {
  const Interval interval = bootstrap_difference(counts_of(500, 60, 30, 410), 9'999, 1);
  EXPECT_NEAR(interval.low, 0.030 - 1.96 * 0.00944, 0.0011);
  EXPECT_NEAR(interval.high, 0.030 + 1.96 * 0.00944, 0.0011);
}

TEST(PairedTests, BootstrapWhereEveryQuestionDiffers) {
  const Interval interval = bootstrap_difference(counts_of(0, 4, 0, 0), 99, 1);
  EXPECT_EQ(interval.low, 1);
  EXPECT_EQ(interval.high, 1);
}

TEST(PairedTests, StarsStandForTheLevelsOfTheCopaPaper) {
  EXPECT_EQ(stars(0.05), "");
  EXPECT_EQ(stars(0.0499), "*");
  EXPECT_EQ(stars(0.01), "*");
  EXPECT_EQ(stars(0.0099), "**");
  EXPECT_EQ(stars(0.00099), "***");
}

TEST(PairedTests, HolmByHand) {
  // Sorted .01 .03 .04: 3 · .01, 2 · .03, and 1 · .04, which may not fall under the one before.
  EXPECT_THAT(holm({0.04, 0.01, 0.03}),
              ElementsAre(DoubleNear(0.06, 1e-12), DoubleNear(0.03, 1e-12), DoubleNear(0.06, 1e-12)));
  EXPECT_THAT(holm({0.9, 0.6}), ElementsAre(1, 1));
  EXPECT_THAT(holm({0.02}), ElementsAre(0.02));
  EXPECT_TRUE(holm({}).empty());
}

}  // namespace
}  // namespace gumption
