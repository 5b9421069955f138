#pragma once

// The systems that ask a GPT. What a question's choices share is encoded once.

#include <functional>
#include <span>
#include <vector>

#include "gumption/models/batching.h"
#include "gumption/models/likelihood.h"
#include "gumption/models/question_inputs.h"
#include "gumption/nn/batch_graphs.h"
#include "gumption/nn/gpt.h"
#include "gumption/systems/system.h"

namespace gumption {

/// A GPT with its tokenizer, and the running of token trees through it. Not thread-safe.
class GptRunner {
 public:
  GptRunner(OpenedModel model, bool choice_head);
  GptRunner(const GptRunner&) = delete;  // its parts refer to each other
  GptRunner& operator=(const GptRunner&) = delete;

  /// Where a tree's parts lie in a batch.
  struct Place {
    std::int64_t prefix_end = 0;              // the row behind the prefix's last
    std::vector<std::int64_t> branch_begins;  // the row of each branch's first token
  };

  /// What to do with a batch's last states; `places` are in the order of `items`, which index the trees given to run().
  using Take = std::function<void(Items items, const at::Tensor& states, std::span<const Place> places)>;
  void run(std::span<const TokenTree> trees, const Take& take);

  /// The choice head's values at the branches' last tokens, tree by tree. Faster than run() on a GPU.
  std::vector<double> score_choices(std::span<const TokenTree> trees);

  std::vector<TokenId> encode(std::string_view text) { return encoder_(text); }
  TextEncoder& encoder() { return encoder_; }
  const Tokenizer& tokenizer() const { return *model_.tokenizer; }
  const Gpt& gpt() const { return gpt_; }
  const OpenedModel& model() const { return model_; }
  std::uint64_t truncated() const { return truncated_; }

 private:
  OpenedModel model_;
  TextEncoder encoder_;
  ParameterSource source_;
  Gpt gpt_;
  BatchGraphs graphs_;  // of the choice head
  std::uint64_t truncated_ = 0;

  std::vector<std::int64_t> lengths_of(std::span<const TokenTree> trees);
};

/// GPT-1 with the classification head.
class GptSystem final : public System {
 public:
  explicit GptSystem(const GptOptions& options);
  std::vector<Answer> answer(std::span<const Question> questions) override;
  std::string note() const override;
  std::uint64_t truncated() const override { return runner_.truncated(); }

 private:
  Gpt1Inputs inputs() const;

  GptOptions options_;
  GptRunner runner_;
  Gpt1Tokens special_;
};

/// The likelihood of each choice after the context and question.
class LanguageModelSystem final : public System {
 public:
  explicit LanguageModelSystem(const LanguageModelOptions& options);
  std::vector<Answer> answer(std::span<const Question> questions) override;
  std::uint64_t truncated() const override { return runner_.truncated(); }

 private:
  struct Choice;
  struct Asked;
  Asked ask(std::vector<TokenId> prefix, const std::vector<std::vector<TokenId>>& choices, bool skip_first) const;
  void score(std::vector<Asked>& all);

  LanguageModelOptions options_;
  GptRunner runner_;
  std::vector<TokenId> nothing_;  // what stands for an empty prefix; empty where the model has no such token
};

}  // namespace gumption
