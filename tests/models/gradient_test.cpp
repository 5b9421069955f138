// Gradients of whole models against finite differences, in float64, for every parameter, with and without dropout.

#include <c10/core/GradMode.h>
#include <gtest/gtest.h>

#include "gumption/cluster/process_group.h"
#include "gumption/models/choice_task.h"
#include "gumption/models/learners.h"
#include "gumption/models/new_weights.h"
#include "gumption/models/text_task.h"

#include "nn/nn_support.h"
#include "support/support.h"

namespace gumption {
namespace {

namespace fs = std::filesystem;

/// Both ways of learning in one batch, with sequences of several lengths.
TrainingBatch choice_batch(bool is_bert, const Learner& learner) {
  const auto ids = [](std::int64_t length, std::int32_t first) {
    std::vector<TokenId> made;
    for (std::int64_t i = 0; i < length; ++i) made.push_back(first + static_cast<TokenId>(7 * i));
    return made;
  };
  std::vector<ChoiceExample> examples(2);
  for (std::size_t q = 0; q < examples.size(); ++q) {
    const auto first = static_cast<TokenId>(100 * (q + 1));
    if (!is_bert) examples[q].prefix = ids(6 + static_cast<std::int64_t>(q), first);
    for (std::int64_t k = 0; k < 3 - static_cast<std::int64_t>(q); ++k) {
      TokenSequence sequence;
      sequence.ids = ids(4 + 2 * k, first + static_cast<TokenId>(k));
      if (is_bert) sequence.types.assign(sequence.ids.size(), 1);
      examples[q].sequences.push_back(std::move(sequence));
    }
    examples[q].right = 1;
  }
  ChoiceTaskOptions options;
  options.read_at = is_bert ? ReadAt::kFirst : ReadAt::kLast;
  options.shared_mask = !is_bert;
  options.word_weight = 0.5;
  ProcessGroup group{ClusterOptions()};
  const ChoiceTask task(std::move(examples), {}, options, learner, group);
  TrainingBatch batch;
  for (std::size_t i = 0; i < task.examples(); ++i) task.add(i, {0.5F, 77 + i}, batch);
  return batch;
}

double loss_at(const Learner& learner, const TrainingBatch& batch, double rate) {
  const c10::NoGradGuard no_gradients;
  Dropout dropout;
  dropout.active = rate > 0;
  dropout.rates = {rate, rate, rate, rate};
  dropout.keys = to_device(batch.keys, learner.options());
  return loss_of(learner, to_device(batch, learner.sight(), learner.options()), dropout).item<double>();
}

/// Moves each parameter a little along its own random direction.
void expect_right_gradients(const Learner& learner, const std::vector<NamedTensor>& parameters,
                            const TrainingBatch& batch, double rate) {
  use_fused_kernels(false);  // the plain operations, with gradients or without
  for (const NamedTensor& parameter : parameters) parameter.tensor.requires_grad_(true).mutable_grad() = at::Tensor();
  Dropout dropout;
  dropout.active = rate > 0;
  dropout.rates = {rate, rate, rate, rate};
  dropout.keys = to_device(batch.keys, learner.options());
  loss_of(learner, to_device(batch, learner.sight(), learner.options()), dropout).backward();
  at::manual_seed(5);
  for (const NamedTensor& parameter : parameters) {
    if (!parameter.tensor.grad().defined()) continue;  // of a head that this loss doesn't use
    const c10::NoGradGuard no_gradients;
    const at::Tensor direction = at::randn_like(parameter.tensor);
    const double slope = (parameter.tensor.grad() * direction).sum().item<double>();
    constexpr double kStep = 1e-5;
    parameter.tensor.add_(direction, kStep);
    const double above = loss_at(learner, batch, rate);
    parameter.tensor.add_(direction, -2 * kStep);
    const double below = loss_at(learner, batch, rate);
    parameter.tensor.add_(direction, kStep);
    EXPECT_NEAR((above - below) / (2 * kStep), slope, 1e-6 + 1e-5 * std::abs(slope)) << parameter.name;
  }
  use_fused_kernels(true);
}

/// A model of two layers with random weights.
Checkpoint small_model(const test::TemporaryFolder& folder, const std::string& config) {
  folder.write("config.json", config);
  return random_checkpoint(folder.path(), 11);
}

TEST(Gradients, OfBertAreRight) {
  const test::TemporaryFolder folder;
  const Checkpoint checkpoint = small_model(folder, R"({"model_type": "bert", "vocab_size": 400, "hidden_size": 16,
      "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 24, "max_position_embeddings": 32,
      "type_vocab_size": 2, "initializer_range": 0.3})");
  ParameterSource source(checkpoint, at::TensorOptions().dtype(at::kDouble), true);
  const Bert bert(checkpoint.config, source, {.pooler = true, .multiple_choice = true, .masked_lm = true}, true);
  const BertLearner learner(bert, true);
  for (const double rate : {0.0, 0.2}) {
    expect_right_gradients(learner, source.taken(), choice_batch(true, learner), rate);
  }
}

TEST(Gradients, OfGptAreRight) {
  for (const char* config : {R"({"model_type": "openai-gpt", "vocab_size": 400, "n_embd": 16, "n_layer": 2, "n_head": 2,
                                 "n_positions": 32, "initializer_range": 0.3})",
                             R"({"model_type": "gpt2", "vocab_size": 400, "n_embd": 16, "n_layer": 2, "n_head": 2,
                                 "n_positions": 32, "initializer_range": 0.3})"}) {
    const test::TemporaryFolder folder;
    const Checkpoint checkpoint = small_model(folder, config);
    ParameterSource source(checkpoint, at::TensorOptions().dtype(at::kDouble), true);
    const Gpt gpt(checkpoint.config, source, true, true);
    const GptLearner learner(gpt, true);
    for (const double rate : {0.0, 0.2}) {
      expect_right_gradients(learner, source.taken(), choice_batch(false, learner), rate);
    }
  }
}

}  // namespace
}  // namespace gumption
