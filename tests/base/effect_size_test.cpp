#include "gumption/base/effect_size.h"

#include <cmath>
#include <initializer_list>

#include <gtest/gtest.h>

namespace gumption {
namespace {

Moments moments_of(std::initializer_list<double> values) {
  Moments moments;
  for (const double value : values) moments.add(value);
  return moments;
}

TEST(EffectSize, MomentsByHand) {
  // Mean 5; squared distances 9 + 1 + 1 + 9 = 20.
  const Moments moments = moments_of({2, 4, 6, 8});
  EXPECT_DOUBLE_EQ(moments.mean, 5);
  EXPECT_DOUBLE_EQ(moments.squares, 20);
  EXPECT_DOUBLE_EQ(moments.standard_deviation(), std::sqrt(20.0 / 3));
  EXPECT_EQ(moments_of({3}).standard_deviation(), 0);
}

TEST(EffectSize, CohensDByHand) {
  // Means 5 and 3, squares 20 and 20, so the pooled deviation is sqrt(40 / 6) and d = 2 / 2.58199 = .774597. Its
  // standard error: sqrt(8/16 + .6/16) = sqrt(.5375) = .733144.
  const auto effect = cohens_d(moments_of({2, 4, 6, 8}), moments_of({0, 2, 4, 6}));
  ASSERT_TRUE(effect);
  EXPECT_NEAR(effect->d, 0.774597, 1e-6);
  EXPECT_NEAR(effect->interval.low, 0.774597 - 1.959964 * 0.733144, 1e-5);
  EXPECT_NEAR(effect->interval.high, 0.774597 + 1.959964 * 0.733144, 1e-5);
}

TEST(EffectSize, TurningTheGroupsAroundTurnsTheSign) {
  const Moments a = moments_of({1, 2, 4});
  const Moments b = moments_of({3, 5, 9, 1});
  EXPECT_DOUBLE_EQ(cohens_d(a, b)->d, -cohens_d(b, a)->d);
  EXPECT_DOUBLE_EQ(cohens_d(a, b)->interval.low, -cohens_d(b, a)->interval.high);
}

TEST(EffectSize, NothingWithoutVariation) {
  EXPECT_FALSE(cohens_d(moments_of({1}), moments_of({1, 2})));
  EXPECT_FALSE(cohens_d(moments_of({1, 1}), moments_of({2, 2})));
}

}  // namespace
}  // namespace gumption
