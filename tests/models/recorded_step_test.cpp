// A step that a GPU records gives the gradients of the plain step. Elsewhere nothing is recorded, and both are one.

#include <gtest/gtest.h>

#include "gumption/models/learners.h"
#include "gumption/models/new_weights.h"
#include "gumption/train/step_runner.h"

#include "nn/nn_support.h"
#include "support/support.h"

namespace gumption {
namespace {

/// GPT-1's form with heads of 64 numbers, as the real one has them.
constexpr const char* kConfig = R"({"model_type": "openai-gpt", "n_layer": 2, "n_embd": 128, "n_head": 2,
  "n_positions": 512, "vocab_size": 203, "afn": "gelu", "initializer_range": 0.1})";

std::vector<std::int32_t> some_ids(std::int64_t length, std::int32_t first) {
  std::vector<std::int32_t> ids;
  for (std::int32_t i = 0; i < length; ++i) ids.push_back((first + 17 * i) % 200);
  return ids;
}

/// Adds a question: what its choices share, and each one's own tokens. All tokens are to be predicted.
void add_question(TrainingBatch& batch, std::int64_t shared, const std::vector<std::int64_t>& choices) {
  const auto predict_in = [&](std::int64_t begin, const std::vector<std::int32_t>& ids) {
    for (std::size_t i = 0; i + 1 < ids.size(); ++i) {
      batch.word_rows.push_back(begin + static_cast<std::int64_t>(i));
      batch.words.push_back(ids[i + 1]);
      batch.word_weights.push_back(0.01F);
    }
  };
  const auto stem = some_ids(shared, static_cast<std::int32_t>(shared));
  predict_in(batch.tokens.layout.tokens(), stem);
  const std::int64_t parent = batch.add(stem, {}, -1, 1);
  TrainingBatch::Question question;
  for (const std::int64_t length : choices) {
    const auto ids = some_ids(length, static_cast<std::int32_t>(7 * length));
    predict_in(batch.tokens.layout.tokens(), ids);
    batch.add(ids, {}, parent, 2);
    question.choices.push_back(static_cast<std::int64_t>(batch.choice_rows.size()));
    batch.choice_rows.push_back(batch.tokens.layout.tokens() - 1);
    batch.choice_keys.push_back(3);
  }
  question.weight = 0.5F;
  batch.questions.push_back(std::move(question));
}

constexpr double kRounding = 6e-2;  // of bfloat16, through two layers and back

struct StepResult {
  double loss = 0;
  std::vector<at::Tensor> gradients;
};

StepResult take_step(const Checkpoint& checkpoint, const TrainingBatch& batch, bool recorded) {
  at::manual_seed(5);  // of the new head
  at::TensorOptions options = test::test_options(at::kFloat);
  if (options.device().is_cuda()) options = options.dtype(at::kBFloat16);
  ParameterSource source(checkpoint, options, true);
  const Gpt gpt(checkpoint.config, source, true, true);
  const GptLearner learner(gpt, true);
  ParameterStore store(source.taken(), c10::typeMetaToScalarType(options.dtype()), DecaySet::kMatrices);
  const WorkStream stream(options.device());
  StepRunner runner(learner, store, DropoutRates{0, 0, 0, 0}, recorded);
  StepResult result;
  for (int i = 0; i < 2; ++i) {  // the second goes through the recording of the first
    store.clear_gradients();
    const at::Tensor loss = runner.run(batch, 1);
    stream.wait();
    result.loss = loss.item<double>();
  }
  for (const auto& group : store.groups()) result.gradients.push_back(group.gradients.to(at::kCPU, at::kFloat));
  return result;
}

TEST(RecordedStep, GivesThePlainStepsGradients) {
  const test::TemporaryFolder folder;
  folder.write("config.json", kConfig);
  const Checkpoint checkpoint = random_checkpoint(folder.path(), 4);
  TrainingBatch batch;
  add_question(batch, 70, {9, 30, 64});
  add_question(batch, 10, {5, 6, 1});
  add_question(batch, 128, {2, 130, 3});
  const StepResult plain = take_step(checkpoint, batch, false);
  const StepResult recorded = take_step(checkpoint, batch, true);
  EXPECT_NEAR(recorded.loss, plain.loss, 1e-2 * plain.loss);
  ASSERT_EQ(recorded.gradients.size(), plain.gradients.size());
  for (std::size_t i = 0; i < plain.gradients.size(); ++i) {
    const at::Tensor difference = recorded.gradients[i] - plain.gradients[i];
    EXPECT_LT(difference.norm().item<double>(), kRounding * plain.gradients[i].norm().item<double>()) << i;
  }
}

}  // namespace
}  // namespace gumption
