#include "gumption/train/training_batch.h"

#include <algorithm>
#include <limits>

#include "gumption/base/error.h"
#include "gumption/base/random.h"

namespace gumption {

std::int64_t TrainingBatch::add(std::span<const std::int32_t> ids, std::span<const std::int32_t> types,
                                std::int64_t parent, std::uint64_t key) {
  std::uint64_t state = key;
  for (std::size_t i = 0; i < ids.size(); ++i) keys.push_back(static_cast<std::int64_t>(split_mix(state)));
  return tokens.add(ids, types, parent);
}

std::int64_t TrainingBatch::most_choices() const {
  std::size_t most = 0;
  for (const Question& question : questions) most = std::max(most, question.choices.size());
  return static_cast<std::int64_t>(most);
}

std::vector<std::int64_t> choice_table(const TrainingBatch& batch, std::int64_t most, std::int64_t none) {
  std::vector<std::int64_t> table;
  for (const TrainingBatch::Question& question : batch.questions) {
    ensure(static_cast<std::int64_t>(question.choices.size()) <= most, "a table has room for all choices");
    const auto begin = table.size();
    table.insert(table.end(), question.choices.begin(), question.choices.end());
    table.resize(begin + static_cast<std::size_t>(most), none);
  }
  return table;
}

TrainingInput to_device(const TrainingBatch& batch, Sight sight, const at::TensorOptions& options) {
  const auto weights = [&](const std::vector<float>& values) {
    const bool exact = options.dtype() == at::kDouble;
    return at::tensor(at::ArrayRef<float>(values)).to(options.dtype(exact ? at::kDouble : at::kFloat));
  };
  TrainingInput placed{BatchInput(batch.tokens, sight, options), {}, {}, {}, {}, {}, {}, {}};
  if (!batch.questions.empty()) {
    const std::int64_t most = batch.most_choices();
    std::vector<float> question_weights;
    for (const auto& question : batch.questions) question_weights.push_back(question.weight);
    placed.choice_rows = to_device(batch.choice_rows, options);
    placed.choices = to_device(choice_table(batch, most, static_cast<std::int64_t>(batch.choice_rows.size())), options)
                         .view({-1, most});
    placed.question_weights = weights(question_weights);
    if (options.device().is_cpu()) placed.choice_keys = to_device(batch.choice_keys, options);
  }
  if (!batch.word_rows.empty()) {
    placed.word_rows = to_device(batch.word_rows, options);
    placed.words = to_device(batch.words, options);
    placed.word_weights = weights(batch.word_weights);
  }
  return placed;
}

namespace {

at::Tensor exact(const at::Tensor& x) { return x.scalar_type() == at::kDouble ? x : x.to(at::kFloat); }

at::Tensor choice_loss(const Learner& learner, const at::Tensor& states, const TrainingInput& batch,
                       const Dropout& dropout) {
  const at::Tensor logits = exact(learner.choice_logits(states, batch.choice_rows, dropout, batch.choice_keys));
  const at::Tensor never = at::full({1}, -std::numeric_limits<double>::infinity(), logits.options());
  const at::Tensor by_question =
      at::cat({logits, never}).index_select(0, batch.choices.flatten()).view(batch.choices.sizes());
  return -(at::log_softmax(by_question, 1).select(1, 0) * batch.question_weights).sum();
}

}  // namespace

at::Tensor loss_of(const Learner& learner, const TrainingInput& batch, const Dropout& dropout) {
  const at::Tensor states = learner.states(batch.input, dropout);
  at::Tensor loss;
  if (batch.choices.defined()) loss = choice_loss(learner, states, batch, dropout);
  if (batch.words.defined()) {
    const at::Tensor words = learner.word_loss(states, batch.word_rows, batch.words, batch.word_weights);
    loss = loss.defined() ? loss + words : words;
  }
  ensure(loss.defined(), "a batch has something to learn");
  return loss;
}

}  // namespace gumption
