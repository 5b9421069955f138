#include "gumption/nn/dropout.h"

#include <gtest/gtest.h>

namespace gumption {
namespace {

at::Tensor keys_of(std::int64_t rows) { return at::arange(1, rows + 1, at::kLong) * 1'000'003; }

TEST(KeyedDropout, DropsItsShareAndScalesTheRest) {
  const at::Tensor ones = at::ones({400, 500});
  for (const double rate : {0.1, 0.5}) {
    const at::Tensor dropped = keyed_dropout(ones, keys_of(400), 3, rate);
    const double share = (dropped == 0).to(at::kDouble).mean().item<double>();
    EXPECT_NEAR(share, rate, 4 * std::sqrt(rate * (1 - rate) / 200'000));  // four deviations
    EXPECT_NEAR(dropped.max().item<double>(), 1 / (1 - rate), 1e-6);
    // No row and no column is dropped more than chance would.
    EXPECT_LT((dropped == 0).to(at::kDouble).mean(0).max().item<double>(),
              rate + 6 * std::sqrt(rate * (1 - rate) / 400));
    EXPECT_LT((dropped == 0).to(at::kDouble).mean(1).max().item<double>(),
              rate + 6 * std::sqrt(rate * (1 - rate) / 500));
  }
}

TEST(KeyedDropout, GoesByTheRowsKeyAlone) {
  const at::Tensor x = at::randn({10, 64});
  const at::Tensor all = keyed_dropout(x, keys_of(10), 1, 0.3);
  const at::Tensor part =
      keyed_dropout(x.narrow(0, 4, 3).contiguous(), keys_of(10).narrow(0, 4, 3).contiguous(), 1, 0.3);
  EXPECT_TRUE(at::equal(all.narrow(0, 4, 3), part));
  EXPECT_FALSE(at::equal(all, keyed_dropout(x, keys_of(10), 2, 0.3)));  // another place of the model
}

TEST(KeyedDropout, LetsGradientsThroughWhereItLetNumbersThrough) {
  const at::Tensor x = at::ones({8, 32}).requires_grad_(true);
  const at::Tensor dropped = keyed_dropout(x, keys_of(8), 0, 0.4);
  dropped.sum().backward();
  EXPECT_TRUE(at::equal(x.grad(), dropped.detach()));
}

}  // namespace
}  // namespace gumption
