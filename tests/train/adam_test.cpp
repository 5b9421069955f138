#include "gumption/train/adam.h"

#include <cmath>

#include <c10/core/GradMode.h>
#include <gtest/gtest.h>

#include "nn/nn_support.h"

namespace gumption {
namespace {

/// One matrix and one vector with gradients that are set by hand.
struct Model {
  explicit Model(at::ScalarType matrix_type = at::kFloat, DecaySet decay = DecaySet::kMatrices)
      : matrix(at::arange(12, test::test_options(at::kFloat)).view({3, 4}) / 10),
        vector(at::ones({5}, test::test_options(at::kFloat))),
        store(std::vector<NamedTensor>{{"matrix", matrix, true}, {"vector", vector}}, matrix_type, decay) {}

  void set_gradients(double of_matrix, double of_vector) {
    const c10::NoGradGuard none;
    matrix.mutable_grad().fill_(of_matrix);
    vector.mutable_grad().fill_(of_vector);
  }

  at::Tensor matrix, vector;
  ParameterStore store;
};

AdamOptions plain_options() {
  AdamOptions options;
  options.clip = 0;
  options.epsilon = 1e-8;
  options.weight_decay = 0;
  return options;
}

TEST(Adam, FirstStepIsTheRateWhateverTheGradient) {
  // With bias correction the first step is rate * g / |g|.
  Model model;
  Adam adam(model.store, plain_options());
  model.set_gradients(0.3, -7);
  adam.update(0.01, 1);
  EXPECT_NEAR(model.matrix[0][0].item<double>(), 0 - 0.01, 1e-6);
  EXPECT_NEAR(model.vector[0].item<double>(), 1 + 0.01, 1e-6);
}

TEST(Adam, WithoutCorrectionTheFirstStepIsSmaller) {
  // m = 0.1 g, v = 0.001 g²: the step is rate * 0.1 / sqrt(0.001) = 3.16 rate.
  Model model;
  AdamOptions options = plain_options();
  options.bias_correction = false;
  Adam adam(model.store, options);
  model.set_gradients(0.5, 0.5);
  adam.update(0.01, 1);
  EXPECT_NEAR(model.vector[0].item<double>(), 1 - 0.01 * 0.1 / std::sqrt(0.001), 1e-6);
}

TEST(Adam, DecaysWhatTheSetSays) {
  for (const DecaySet set : {DecaySet::kMatrices, DecaySet::kAll, DecaySet::kNone}) {
    Model model(at::kFloat, set);
    AdamOptions options = plain_options();
    options.weight_decay = 0.5;
    options.decay = set;
    Adam adam(model.store, options);
    model.set_gradients(0, 0);
    adam.update(0.1, 1);  // no gradient: weights shrink by 0.1 * 0.5
    EXPECT_NEAR(model.matrix[2][3].item<double>(), set == DecaySet::kNone ? 1.1 : 1.1 * 0.95, 1e-6);
    EXPECT_NEAR(model.vector[0].item<double>(), set == DecaySet::kAll ? 0.95 : 1, 1e-6);
  }
}

TEST(Adam, ClipsTheNormOfAllOrOfEach) {
  // The matrix's gradient has the norm sqrt(12 * 4) = 6.93, the vector's sqrt(5 * 1) = 2.24; together sqrt(53).
  Model model;
  AdamOptions options = plain_options();
  options.clip = 1;
  Adam adam(model.store, options);
  model.set_gradients(2, 1);
  EXPECT_NEAR(adam.update(0.01, 1).item<double>(), std::sqrt(53.0), 1e-5);
  EXPECT_NEAR(adam.means()[1].first[0].item<double>(), 0.1 / std::sqrt(53.0), 1e-6);

  Model other;
  options.clip_per = ClipPer::kTensor;
  Adam each(other.store, options);
  other.set_gradients(2, 1);
  EXPECT_NEAR(each.update(0.01, 1).item<double>(), std::sqrt(53.0), 1e-5);
  EXPECT_NEAR(each.means()[1].first[0].item<double>(), 0.1 / std::sqrt(5.0), 1e-6);
}

TEST(Adam, KeepsFloat32WeightsBesideBfloat16) {
  Model model(at::kBFloat16);
  EXPECT_EQ(model.matrix.scalar_type(), at::kBFloat16);
  EXPECT_EQ(model.vector.scalar_type(), at::kFloat);
  Adam adam(model.store, plain_options());
  // A hundred steps of 1e-5, each far below what bfloat16 resolves at 1.1, arrive in the float32 weights.
  for (std::uint64_t step = 1; step <= 100; ++step) {
    model.set_gradients(1, 1);
    adam.update(1e-5, step);
  }
  const auto exact = model.store.named(model.store.copy_weights());
  EXPECT_NEAR(exact[0].tensor[2][3].item<double>(), 1.1 - 100e-5, 1e-5);
  EXPECT_EQ(exact[0].name, "matrix");
  EXPECT_NEAR(model.matrix[2][3].item<double>(), 1.1, 0.005);
}

TEST(ParameterStore, GathersBfloat16GradientsInFloat32) {
  Model model(at::kBFloat16);
  // 1 + 200 * 2^-9 can't be summed in bfloat16, where each addend is below half a unit of the sum.
  model.set_gradients(1, 0);
  model.store.gather_gradients();
  for (int i = 0; i < 200; ++i) {
    model.set_gradients(1.0 / 512, 0);
    model.store.gather_gradients();
  }
  EXPECT_NEAR(model.store.groups()[0].step_gradients()[0].item<double>(), 1 + 200.0 / 512, 1e-5);
  model.store.clear_gradients();
  EXPECT_EQ(model.store.groups()[0].step_gradients()[0].item<double>(), 0);
}

}  // namespace
}  // namespace gumption
