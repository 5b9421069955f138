#include "gumption/nn/word_loss.h"

#include <gtest/gtest.h>

#include "nn/nn_support.h"

namespace gumption {
namespace {

struct Predictions {
  at::Tensor states, table, bias, words, weights;
};

/// Made on the CPU, so that every device gets the same.
Predictions some_predictions(std::int64_t rows, std::int64_t vocabulary, std::int64_t hidden) {
  at::manual_seed(3);
  return {at::randn({rows, hidden}), at::randn({vocabulary, hidden}) * 0.3, at::randn({vocabulary}),
          at::randint(vocabulary, {rows}, at::kLong), at::rand({rows})};
}

TEST(WordLoss, IsTheWeightedCrossEntropy) {
  const Predictions in = some_predictions(7, 13, 8);
  const at::Tensor each = at::cross_entropy_loss(at::linear(in.states, in.table, in.bias), in.words, {}, 0);
  const double wanted = (each * in.weights).sum().item<double>();
  EXPECT_NEAR(word_loss(in.states, in.table, in.bias, in.words, in.weights).item<double>(), wanted, 1e-5);
}

double relative(const at::Tensor& a, const at::Tensor& b) {
  return ((a.to(at::kCPU, at::kFloat) - b).norm() / b.norm()).item<double>();
}

/// A vocabulary of an odd size, with and without a bias, some rows without weight.
TEST(WordLoss, KernelGivesTheSameInBfloat16) {
  const auto rounded = test::test_options(at::kBFloat16);
  if (!rounded.device().is_cuda()) GTEST_SKIP() << "needs GUMPTION_TEST_DEVICE=cuda";
  for (const bool with_bias : {false, true}) {
    Predictions in = some_predictions(200, 4097, 64);
    in.weights.narrow(0, 50, 10).zero_();
    in.states = in.states.to(at::kBFloat16).to(at::kFloat);
    in.table = in.table.to(at::kBFloat16).to(at::kFloat);
    const auto leaf = [](const at::Tensor& x) { return x.detach().clone().requires_grad_(true); };
    const at::Tensor states = leaf(in.states);
    const at::Tensor table = leaf(in.table);
    const at::Tensor bias = with_bias ? leaf(in.bias) : at::Tensor();
    const at::Tensor loss = word_loss(states, table, bias, in.words, in.weights);
    (loss * 3).backward();

    const at::Tensor gpu_states = leaf(in.states.to(rounded));
    const at::Tensor gpu_table = leaf(in.table.to(rounded.dtype(at::kFloat)));
    const at::Tensor gpu_bias = with_bias ? leaf(in.bias.to(rounded.dtype(at::kFloat))) : at::Tensor();
    const at::Tensor gpu_loss =
        word_loss(gpu_states, gpu_table, gpu_bias, in.words.to(rounded.device()), in.weights.to(rounded.device()));
    (gpu_loss * 3).backward();
    EXPECT_NEAR(gpu_loss.item<double>() / loss.item<double>(), 1, 5e-3);
    EXPECT_LT(relative(gpu_states.grad(), states.grad()), 2e-2);
    EXPECT_LT(relative(gpu_table.grad(), table.grad()), 2e-2);
    if (with_bias) {
      EXPECT_LT(relative(gpu_bias.grad(), bias.grad()), 2e-2);
    }
  }
}

}  // namespace
}  // namespace gumption
