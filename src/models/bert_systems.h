#pragma once

// The systems that ask a BERT.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gumption/models/batching.h"
#include "gumption/models/question_inputs.h"
#include "gumption/nn/batch_graphs.h"
#include "gumption/nn/bert.h"
#include "gumption/systems/system.h"

namespace gumption {

/// A BERT with its tokenizer, and the running of sequences through it. Not thread-safe.
class BertRunner {
 public:
  BertRunner(OpenedModel model, BertHeads heads);
  BertRunner(const BertRunner&) = delete;  // its parts refer to each other
  BertRunner& operator=(const BertRunner&) = delete;

  /// What to do with a batch's last states; `first_rows` are the rows of the sequences' first tokens, in the order of
  /// `items`, which index the sequences given to run().
  using Take = std::function<void(Items items, const at::Tensor& states, const at::Tensor& first_rows)>;
  void run(std::span<const TokenSequence> sequences, const Take& take);

  /// The values that `head` gives for the pooled vectors, one for each sequence, in order. Faster than run() on a GPU.
  using Head = std::function<at::Tensor(const Bert& bert, const at::Tensor& pooled)>;
  std::vector<double> score(std::span<const TokenSequence> sequences, const Head& head);

  std::vector<TokenId> encode(std::string_view text) { return encoder_(text); }
  TextEncoder& encoder() { return encoder_; }
  const BertTokens& special() const { return special_; }
  const Bert& bert() const { return bert_; }
  std::int64_t max_length() const { return model_.max_length; }
  const std::filesystem::path& folder() const { return model_.checkpoint.folder; }
  std::uint64_t truncated() const { return truncated_; }

 private:
  OpenedModel model_;
  BertTokens special_;
  TextEncoder encoder_;
  ParameterSource source_;
  Bert bert_;
  std::optional<BatchGraphs> graphs_;  // of the head that score() was called with first
  std::uint64_t truncated_ = 0;

  std::vector<std::int64_t> lengths_of(std::span<const TokenSequence> sequences);
};

class BertSystem final : public System {
 public:
  explicit BertSystem(const BertOptions& options);
  void note_format(std::string_view format) override;
  std::vector<Answer> answer(std::span<const Question> questions) override;
  std::string note() const override;
  std::uint64_t truncated() const override { return runner_.truncated(); }

 private:
  BertInputs inputs() const;

  BertOptions options_;
  BertRunner runner_;
  BertForm form_;
};

/// The likelihood of a choice's words when each is masked in turn.
class MaskedLmSystem final : public System {
 public:
  explicit MaskedLmSystem(const MaskedLmOptions& options);
  std::vector<Answer> answer(std::span<const Question> questions) override;
  std::uint64_t truncated() const override { return runner_.truncated(); }

 private:
  struct Work;
  /// The masked copies of one choice in a Work.
  struct Copies {
    std::size_t first = 0;
    std::size_t count = 0;
  };
  Copies add_masked(const std::vector<TokenId>& prefix, const std::vector<TokenId>& choice, Work& work);
  void run(Work& work);

  MaskedLmOptions options_;
  BertRunner runner_;
};

/// Cosine of the mean vectors of context-and-question and of the choice.
class SimilaritySystem final : public System {
 public:
  explicit SimilaritySystem(const SimilarityOptions& options);
  std::vector<Answer> answer(std::span<const Question> questions) override;
  std::uint64_t truncated() const override { return runner_.truncated(); }

  /// Unit vectors of texts, [texts, hidden], in float32 on the CPU.
  at::Tensor vectors_of(std::span<const std::string> texts);

 private:
  BertRunner runner_;
};

class NextSentenceSystem final : public System {
 public:
  explicit NextSentenceSystem(const NextSentenceOptions& options);
  std::vector<Answer> answer(std::span<const Question> questions) override;
  std::uint64_t truncated() const override { return runner_.truncated(); }

 private:
  BertRunner runner_;
};

}  // namespace gumption
