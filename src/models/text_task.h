#pragma once

// Learning from plain text: masked words for BERT, next words for GPT.

#include <string>
#include <vector>

#include "gumption/cluster/process_group.h"
#include "gumption/models/loaded_model.h"
#include "gumption/train/task.h"

namespace gumption {

/// How text is cut into examples and what is asked of them.
struct TextTaskOptions {
  bool masked = false;
  double mask_share = 0.15;
  BertTokens special;           // where masked
  std::int64_t vocabulary = 0;  // tokens to replace some masked ones by, where masked
  std::int64_t batch_tokens = 0;
};

constexpr std::int64_t kShortestBlock = 4;  // fewer tokens teach nothing

using TokenBlocks = std::vector<std::vector<TokenId>>;

/// The tokens of text files, line by line, cut into blocks of `length`; a last one of very few
/// tokens is left out. `between` stands between files where it isn't negative.
TokenBlocks read_blocks(const std::vector<std::string>& files, const Tokenizer& tokenizer, std::int64_t length,
                        TokenId between);

class TextTask final : public Task {
 public:
  /// `learner` and `group` must outlive it.
  TextTask(TokenBlocks train, TokenBlocks dev, const TextTaskOptions& options, const Learner& learner,
           ProcessGroup& group);

  std::size_t examples() const override { return train_.size(); }
  std::int64_t tokens_of(std::size_t example) const override;
  void add(std::size_t example, const ExampleDraw& draw, TrainingBatch& batch) const override;
  std::optional<double> evaluate() override;
  bool higher_is_better() const override { return false; }
  std::string measure() const override { return "dev_loss"; }

 private:
  void add_masked(const std::vector<TokenId>& block, const ExampleDraw& draw, TrainingBatch& batch) const;
  void add_causal(const std::vector<TokenId>& block, const ExampleDraw& draw, TrainingBatch& batch) const;
  void add_block(const std::vector<TokenId>& block, const ExampleDraw& draw, TrainingBatch& batch) const;

  TokenBlocks train_;
  TokenBlocks dev_;
  TextTaskOptions options_;
  const Learner& learner_;
  ProcessGroup& group_;
};

}  // namespace gumption
