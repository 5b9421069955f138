#include "gumption/models/choice_task.h"

#include <algorithm>
#include <array>

#include "gumption/base/error.h"
#include "gumption/base/random.h"
#include "gumption/models/batching.h"

namespace gumption {

namespace {

std::int64_t size_of(const std::vector<TokenId>& ids) { return static_cast<std::int64_t>(ids.size()); }

/// Appends an example's sequences and gives the row at which each choice is read.
struct Placed {
  std::int64_t prefix_begin = 0;
  std::vector<std::int64_t> begins;
  std::vector<std::int64_t> rows;
};

Placed place(const ChoiceExample& example, ReadAt read_at, std::uint64_t key, TrainingBatch& batch) {
  Placed placed;
  std::uint64_t state = key;
  placed.prefix_begin = batch.tokens.layout.tokens();
  const std::int64_t parent = example.prefix.empty() ? -1 : batch.add(example.prefix, {}, -1, split_mix(state));
  for (const TokenSequence& sequence : example.sequences) {
    const std::int64_t begin = batch.tokens.layout.tokens();
    batch.add(sequence.ids, sequence.types, parent, split_mix(state));
    placed.begins.push_back(begin);
    placed.rows.push_back(read_at == ReadAt::kFirst ? begin : begin + size_of(sequence.ids) - 1);
  }
  return placed;
}

}  // namespace

std::int64_t ChoiceExample::tokens() const {
  std::int64_t all = size_of(prefix);
  for (const TokenSequence& sequence : sequences) all += size_of(sequence.ids);
  return all;
}

void add_words(const ChoiceExample& example, std::int64_t prefix_begin, std::span<const std::int64_t> branch_begins,
               double weight, TrainingBatch& batch) {
  const auto predict = [&](std::int64_t row, TokenId word, double own) {
    batch.word_rows.push_back(row);
    batch.words.push_back(word);
    batch.word_weights.push_back(static_cast<float>(own));
  };
  const std::int64_t prefix = size_of(example.prefix);
  double of_prefix = 0;  // the prefix's words stand in every choice's sequence
  for (std::size_t i = 0; i < example.sequences.size(); ++i) {
    const std::vector<TokenId>& ids = example.sequences[i].ids;
    const auto choices = static_cast<double>(example.sequences.size());
    const double own = weight / (choices * static_cast<double>(prefix + size_of(ids) - 1));
    of_prefix += own;
    if (prefix > 0) predict(prefix_begin + prefix - 1, ids.front(), own);
    for (std::size_t k = 1; k < ids.size(); ++k) {
      predict(branch_begins[i] + static_cast<std::int64_t>(k) - 1, ids[k], own);
    }
  }
  for (std::int64_t k = 1; k < prefix; ++k) {
    predict(prefix_begin + k - 1, example.prefix[static_cast<std::size_t>(k)], of_prefix);
  }
}

ChoiceTask::ChoiceTask(std::vector<ChoiceExample> train, std::vector<ChoiceExample> dev,
                       const ChoiceTaskOptions& options, const Learner& learner, ProcessGroup& group)
    : train_(std::move(train)),
      dev_(std::move(dev)),
      options_(options),
      group_(group),
      graphs_(
          [&learner](const BatchInput& input, const at::Tensor& rows) {
            return learner.choice_logits(learner.states(input, {}), rows, {}, {});
          },
          learner.sight(), learner.options()) {}

void ChoiceTask::add(std::size_t index, const ExampleDraw& draw, TrainingBatch& batch) const {
  const ChoiceExample& example = train_[index];
  const Placed placed = place(example, options_.read_at, draw.key, batch);
  const auto first = static_cast<std::int64_t>(batch.choice_rows.size());
  for (const std::int64_t row : placed.rows) {
    batch.choice_rows.push_back(row);
    const std::int64_t key_row = options_.shared_mask ? placed.prefix_begin : row;
    batch.choice_keys.push_back(batch.keys[static_cast<std::size_t>(key_row)]);
  }
  TrainingBatch::Question question;
  question.weight = draw.weight;
  question.choices.push_back(first + static_cast<std::int64_t>(example.right));
  for (std::size_t i = 0; i < example.sequences.size(); ++i) {
    if (i != example.right) question.choices.push_back(first + static_cast<std::int64_t>(i));
  }
  batch.questions.push_back(std::move(question));
  if (options_.word_weight > 0) {
    add_words(example, placed.prefix_begin, placed.begins, draw.weight * options_.word_weight, batch);
  }
}

std::optional<double> ChoiceTask::evaluate() {
  if (dev_.empty()) return std::nullopt;
  const std::size_t begin = dev_.size() * group_.rank() / group_.size();
  const std::size_t end = dev_.size() * (group_.rank() + 1) / group_.size();
  const std::span<const ChoiceExample> own(dev_.data() + begin, end - begin);
  std::vector<std::int64_t> lengths;
  for (const ChoiceExample& example : own) lengths.push_back(example.tokens());
  std::vector<std::size_t> order;
  std::vector<at::Tensor> parts;
  run_in_batches(lengths, options_.batch_tokens, [&](Items items) {
    TrainingBatch batch;
    std::vector<std::int64_t> rows;
    for (const std::size_t item : items) {
      for (const std::int64_t row : place(own[item], options_.read_at, 0, batch).rows) rows.push_back(row);
    }
    parts.push_back(graphs_.run(batch.tokens, rows));
    order.insert(order.end(), items.begin(), items.end());
  });
  std::array<std::uint64_t, 1> right = {0};
  if (!parts.empty()) {
    const at::Tensor scores = at::cat(parts).to(at::kCPU, at::kDouble).contiguous();
    const double* score = scores.const_data_ptr<double>();
    for (const std::size_t item : order) {
      const std::size_t choices = own[item].sequences.size();
      const auto chosen = static_cast<std::size_t>(std::max_element(score, score + choices) - score);
      right.front() += chosen == own[item].right ? 1 : 0;
      score += choices;
    }
  }
  group_.all_reduce_sum(std::span<std::uint64_t>(right));
  return static_cast<double>(right.front()) / static_cast<double>(dev_.size());
}

}  // namespace gumption
