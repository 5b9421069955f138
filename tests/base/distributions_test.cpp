#include "gumption/base/distributions.h"

#include <cmath>

#include <gtest/gtest.h>

namespace gumption {
namespace {

TEST(Distributions, ChiSquareTailsInClosedForm) {
  // Two degrees of freedom: exp(-x/2). One: erfc(sqrt(x/2)). Four: exp(-x/2)(1 + x/2).
  for (const double x : {0.01, 0.5, 1.0, 3.84, 10.0, 60.0}) {
    EXPECT_NEAR(chi_square_upper_tail(x, 2), std::exp(-x / 2), 1e-12);
    EXPECT_NEAR(chi_square_upper_tail(x, 1), std::erfc(std::sqrt(x / 2)), 1e-12);
    EXPECT_NEAR(chi_square_upper_tail(x, 4), std::exp(-x / 2) * (1 + x / 2), 1e-12);
  }
  EXPECT_EQ(chi_square_upper_tail(0, 3), 1.0);
}

TEST(Distributions, WilsonInterval) {
  // Wilson for 8 of 10 with z = 1.96: a textbook pair, 0.4902 to 0.9433.
  const Interval interval = wilson_interval(8, 10);
  EXPECT_NEAR(interval.low, 0.4902, 5e-5);
  EXPECT_NEAR(interval.high, 0.9433, 5e-5);
  EXPECT_NEAR(wilson_interval(0, 20).low, 0.0, 1e-15);
  EXPECT_EQ(wilson_interval(0, 0).high, 1.0);
}

TEST(Distributions, ExactBinomialByHand) {
  // 8 of 10 coins: 2 · (45 + 10 + 1) / 1024.
  EXPECT_NEAR(binomial_two_sided(8, 10, 0.5), 112.0 / 1024, 1e-12);
  EXPECT_NEAR(binomial_two_sided(2, 10, 0.5), 112.0 / 1024, 1e-12);
  EXPECT_EQ(binomial_two_sided(5, 10, 0.5), 1.0);
  // Three trials at 1/4: masses 27, 27, 9 and 1 of 64. Two successes: 9 + 1; one is as likely as none: all.
  EXPECT_NEAR(binomial_two_sided(2, 3, 0.25), 10.0 / 64, 1e-12);
  EXPECT_NEAR(binomial_two_sided(3, 3, 0.25), 1.0 / 64, 1e-12);
  EXPECT_NEAR(binomial_two_sided(1, 3, 0.25), 1.0, 1e-12);
  EXPECT_EQ(binomial_two_sided(0, 0, 0.5), 1.0);
}

}  // namespace
}  // namespace gumption
