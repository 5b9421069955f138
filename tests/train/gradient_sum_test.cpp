// Training gives the same weights whichever way gradients are summed. With a single process a sum changes nothing, but
// everything that carries it runs.

#include "gumption/train/gradient_sum.h"

#include <vector>

#include <gtest/gtest.h>

#include "gumption/train/trainer.h"

#include "nn/nn_support.h"

namespace gumption {
namespace {

constexpr std::int64_t kWords = 40;
constexpr std::int64_t kWidth = 8;

/// Scores a choice by its last word alone.
class WordLearner final : public Learner {
 public:
  WordLearner() : options_(test::test_options(at::kFloat)) {
    if (options_.device().is_cuda()) options_ = options_.dtype(at::kBFloat16);
    at::manual_seed(3);
    table_ = at::randn({kWords, kWidth}).to(options_.device());
    head_ = at::randn({kWidth}).to(options_.device());
  }

  std::vector<NamedTensor> parameters() const { return {{"table", table_, true}, {"head", head_, false}}; }

  Sight sight() const override { return Sight::kBothWays; }
  const at::TensorOptions& options() const override { return options_; }
  DropoutRates dropout() const override { return {}; }
  at::Tensor states(const BatchInput& input, const Dropout& /*dropout*/) const override {
    return table_.index_select(0, input.ids);
  }
  at::Tensor choice_logits(const at::Tensor& states, const at::Tensor& rows, const Dropout& /*dropout*/,
                           const at::Tensor& /*row_keys*/) const override {
    return at::matmul(states.index_select(0, rows).to(at::kFloat), head_);
  }
  at::Tensor word_loss(const at::Tensor& states, const at::Tensor& /*rows*/, const at::Tensor& /*words*/,
                       const at::Tensor& /*weights*/) const override {
    return states.sum();
  }
  std::vector<ParameterStore::Stretch> without_effect() const override { return {}; }
  void weights_changed() const override {}

 private:
  at::TensorOptions options_;
  at::Tensor table_;
  at::Tensor head_;
};

/// Questions of two choices, of lengths that differ.
class WordTask final : public Task {
 public:
  std::size_t examples() const override { return 150; }
  std::int64_t tokens_of(std::size_t example) const override { return 2 * length_of(example); }
  void add(std::size_t example, const ExampleDraw& draw, TrainingBatch& batch) const override {
    TrainingBatch::Question question;
    for (std::size_t choice = 0; choice < 2; ++choice) {
      const auto word = static_cast<std::int32_t>((example + choice * 7) % kWords);
      batch.add(std::vector<std::int32_t>(static_cast<std::size_t>(length_of(example)), word), {}, -1, draw.key);
      question.choices.push_back(static_cast<std::int64_t>(batch.choice_rows.size()));
      batch.choice_rows.push_back(batch.tokens.layout.tokens() - 1);
      batch.choice_keys.push_back(0);
    }
    question.weight = draw.weight;
    batch.questions.push_back(std::move(question));
  }
  std::optional<double> evaluate() override { return std::nullopt; }
  bool higher_is_better() const override { return true; }
  std::string measure() const override { return "dev"; }

 private:
  static std::int64_t length_of(std::size_t example) { return 1 + static_cast<std::int64_t>(example); }
};

/// The weights after some steps.
std::vector<at::Tensor> train_with(ProcessGroup& group, GradientSum* sum, double decay = 0.01) {
  WordLearner learner;
  WordTask task;
  TrainOptions options;
  options.lr = 1e-2;
  options.batch = 10;
  options.epochs = 2;
  options.adam.weight_decay = decay;
  options.adam.clip = 0;  // a norm is summed in another order where gradients were turned into float32
  ParameterStore store(learner.parameters(), c10::typeMetaToScalarType(learner.options().dtype()), options.adam.decay);
  TrainerParts parts{task, learner, store, group, nullptr, 1000, [](std::span<const NamedTensor>) {}, sum};
  const TrainReport report = train(parts, options);
  EXPECT_EQ(report.steps, 30U);
  return store.copy_weights();
}

void expect_same_weights(ProcessGroup& group, GradientSum& sum) {
  const std::vector<at::Tensor> expected = train_with(group, nullptr);
  const std::vector<at::Tensor> got = train_with(group, &sum);
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_TRUE(got[i].equal(expected[i])) << i;
}

/// Takes all gradients away.
class NoSum final : public GradientSum {
 public:
  void add_up(at::Tensor& values) override {
    EXPECT_EQ(values.scalar_type(), at::kFloat);
    EXPECT_TRUE(values.is_contiguous());
    values.zero_();
    ++calls;
  }
  int calls = 0;
};

TEST(GradientSum, IsWhatTheUpdateTakes) {
  ProcessGroup group{ClusterOptions()};
  NoSum sum;
  const std::vector<at::Tensor> weights = train_with(group, &sum, /*decay=*/0);
  EXPECT_EQ(sum.calls, 30 * static_cast<int>(weights.size()));
  WordLearner untrained;
  ParameterStore store(untrained.parameters(), c10::typeMetaToScalarType(untrained.options().dtype()),
                       AdamOptions().decay);
  const std::vector<at::Tensor> before = store.copy_weights();
  for (std::size_t i = 0; i < weights.size(); ++i) EXPECT_TRUE(weights[i].equal(before[i])) << i;
  const std::vector<at::Tensor> moved = train_with(group, nullptr, /*decay=*/0);
  for (std::size_t i = 0; i < weights.size(); ++i) EXPECT_FALSE(moved[i].equal(before[i])) << i;
}

TEST(GradientSum, OverTheHost) {
  ProcessGroup group{ClusterOptions()};
  expect_same_weights(group, *make_host_sum(group));
}

TEST(GradientSum, OverNccl) {
  const at::Device device = test::test_options(at::kFloat).device();
  if (!nccl_place(device)) GTEST_SKIP() << "needs a GPU and NCCL";
  ProcessGroup group{ClusterOptions()};
  const std::unique_ptr<GradientSum> sum = make_nccl_sum(group);
  at::Tensor values = at::arange(1000, test::test_options(at::kFloat));
  sum->add_up(values);
  EXPECT_TRUE(values.equal(at::arange(1000, test::test_options(at::kFloat))));
  // Steps are recorded while NCCL's threads look after its work.
  expect_same_weights(group, *sum);
}

TEST(GradientSum, TakesTheHostWhereNcclHasNoPlace) {
  ProcessGroup group{ClusterOptions()};
  EXPECT_EQ(nccl_place(at::kCPU), std::nullopt);
  at::Tensor values = at::arange(10, at::kFloat);
  make_gradient_sum(group, at::kCPU)->add_up(values);
  EXPECT_TRUE(values.equal(at::arange(10, at::kFloat)));
}

}  // namespace
}  // namespace gumption
