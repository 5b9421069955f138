#include "gumption/base/random.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace gumption {
namespace {

// Published first outputs of SplitMix64 for the seed 1234567.
TEST(Random, SplitMixMatchesItsPublishedValues) {
  std::uint64_t state = 1234567;
  EXPECT_EQ(split_mix(state), 6457827717110365317ULL);
  EXPECT_EQ(split_mix(state), 3203168211198807973ULL);
  EXPECT_EQ(split_mix(state), 9817491932198370423ULL);
}

// xoshiro256** by hand from the state {1, 2, 3, 4}: rotl(2·5, 7)·9 = 1280·9; then s1 = 2^3^1 = 0, so 0; then
// s1 is 1·2^... : s = {1^4^2, 2^3^1, 3^1^(2<<17), rotl(4^2, 45)} = {7, 0, 262146, 6<<45} gives s1' = 0^262146^7.
TEST(Random, StreamMatchesTheGeneratorByHand) {
  RandomStream stream(std::array<std::uint64_t, 4>{1, 2, 3, 4});
  EXPECT_EQ(stream.next(), 11520U);
  EXPECT_EQ(stream.next(), 0U);
  EXPECT_EQ(stream.next(), (262149ULL * 5 << 7) * 9);
}

TEST(Random, SameSeedAndPurposeSameNumbers) {
  RandomStream a(7, "shuffle");
  RandomStream b(7, "shuffle");
  RandomStream other_purpose(7, "dropout");
  RandomStream other_seed(8, "shuffle");
  const auto first = a.next();
  EXPECT_EQ(first, b.next());
  EXPECT_NE(first, other_purpose.next());
  EXPECT_NE(first, other_seed.next());
}

TEST(Random, BelowIsEven) {
  RandomStream stream(1);
  std::vector<int> counts(6);
  constexpr int kDraws = 60'000;
  for (int i = 0; i < kDraws; ++i) ++counts[stream.below(6)];
  // Standard deviation of each count: sqrt(60000 · 1/6 · 5/6) = 91; five of them are 456.
  for (const int count : counts) EXPECT_NEAR(count, kDraws / 6, 456);
}

TEST(Random, UniformStaysInItsRange) {
  RandomStream stream(3);
  double sum = 0;
  for (int i = 0; i < 10'000; ++i) {
    const double value = stream.uniform();
    ASSERT_GE(value, 0.0);
    ASSERT_LT(value, 1.0);
    sum += value;
  }
  EXPECT_NEAR(sum / 10'000, 0.5, 5 * 0.2887 / 100);
}

TEST(Random, ShuffleIsAPermutation) {
  std::vector<int> numbers(100);
  std::iota(numbers.begin(), numbers.end(), 0);
  const auto ordered = numbers;
  RandomStream stream(5);
  shuffle(numbers, stream);
  EXPECT_NE(numbers, ordered);
  EXPECT_TRUE(std::is_permutation(numbers.begin(), numbers.end(), ordered.begin()));
}

TEST(Random, SuccessesHaveTheBinomialsMoments) {
  struct Case {
    std::uint64_t trials, part, whole;
  };
  for (const auto& [trials, part, whole] : {Case{100, 1, 2}, Case{1000, 1, 3}, Case{64, 63, 64}, Case{7, 2, 5}}) {
    RandomStream stream(11);
    constexpr int kDraws = 20'000;
    double sum = 0;
    double squares = 0;
    const double chance = static_cast<double>(part) / static_cast<double>(whole);
    const double mean = static_cast<double>(trials) * chance;
    for (int i = 0; i < kDraws; ++i) {
      const auto count = stream.successes(trials, part, whole);
      ASSERT_LE(count, trials);
      sum += static_cast<double>(count);
      squares += (static_cast<double>(count) - mean) * (static_cast<double>(count) - mean);
    }
    const double variance = mean * (1 - chance);
    EXPECT_NEAR(sum / kDraws, mean, 5 * std::sqrt(variance / kDraws));
    EXPECT_NEAR(squares / kDraws, variance, 0.06 * variance);
  }
}

TEST(Random, SuccessesAtTheEndsAreCertain) {
  RandomStream stream(1);
  EXPECT_EQ(stream.successes(1000, 0, 5), 0U);
  EXPECT_EQ(stream.successes(1000, 5, 5), 1000U);
  EXPECT_EQ(stream.successes(0, 1, 2), 0U);
}

}  // namespace
}  // namespace gumption
