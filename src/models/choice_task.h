#pragma once

// Learning to choose.

#include <cstdint>
#include <span>
#include <vector>

#include "gumption/cluster/process_group.h"
#include "gumption/models/templates.h"
#include "gumption/nn/batch_graphs.h"
#include "gumption/train/task.h"

namespace gumption {

/// A question as tokens.
struct ChoiceExample {
  std::vector<TokenId> prefix;           // what the choices share, encoded once; empty: nothing
  std::vector<TokenSequence> sequences;  // one for each choice
  std::size_t right = 0;

  std::int64_t tokens() const;
};

/// Which token of a choice's sequence the head reads.
enum class ReadAt { kFirst, kLast };

struct ChoiceTaskOptions {
  ReadAt read_at = ReadAt::kFirst;
  bool shared_mask = false;       // one mask before the head for all choices of a question, as GPT-1 has it
  double word_weight = 0;         // of the loss of predicting every word of every choice's sequence, averaged over each
  std::int64_t batch_tokens = 0;  // that go through the device at a time when measuring
};

/// What a question's words weigh: every token of every choice's whole sequence but the first is predicted.
void add_words(const ChoiceExample& example, std::int64_t prefix_begin, std::span<const std::int64_t> branch_begins,
               double weight, TrainingBatch& batch);

class ChoiceTask final : public Task {
 public:
  /// `learner` and `group` must outlive it.
  ChoiceTask(std::vector<ChoiceExample> train, std::vector<ChoiceExample> dev, const ChoiceTaskOptions& options,
             const Learner& learner, ProcessGroup& group);

  std::size_t examples() const override { return train_.size(); }
  std::int64_t tokens_of(std::size_t example) const override { return train_[example].tokens(); }
  void add(std::size_t example, const ExampleDraw& draw, TrainingBatch& batch) const override;
  std::optional<double> evaluate() override;
  bool higher_is_better() const override { return true; }
  std::string measure() const override { return "dev_accuracy"; }

 private:
  std::vector<ChoiceExample> train_;
  std::vector<ChoiceExample> dev_;
  ChoiceTaskOptions options_;
  ProcessGroup& group_;
  BatchGraphs graphs_;
};

}  // namespace gumption
