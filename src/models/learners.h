#pragma once

// BERT and GPT as the trainer takes them.

#include "gumption/nn/bert.h"
#include "gumption/nn/gpt.h"
#include "gumption/train/training_batch.h"

namespace gumption {

/// `bert` must outlive it; `chooses`: it has a multiple-choice head.
class BertLearner final : public Learner {
 public:
  BertLearner(const Bert& bert, bool chooses) : bert_(bert), chooses_(chooses) {}
  Sight sight() const override { return Sight::kBothWays; }
  const at::TensorOptions& options() const override { return bert_.options(); }
  DropoutRates dropout() const override { return bert_.config().dropout; }
  at::Tensor states(const BatchInput& input, const Dropout& dropout) const override {
    return bert_.encode(input, dropout);
  }
  at::Tensor choice_logits(const at::Tensor& states, const at::Tensor& rows, const Dropout& dropout,
                           const at::Tensor& row_keys) const override {
    return bert_.choice_logits(bert_.pool(states, rows), dropout, row_keys);
  }
  at::Tensor word_loss(const at::Tensor& states, const at::Tensor& rows, const at::Tensor& words,
                       const at::Tensor& weights) const override {
    return bert_.masked_lm_loss(states, rows, words, weights);
  }
  std::vector<ParameterStore::Stretch> without_effect() const override;
  void weights_changed() const override { bert_.weights_changed(); }

 private:
  const Bert& bert_;
  bool chooses_;
};

/// `gpt` must outlive it; `chooses`: it has a choice head.
class GptLearner final : public Learner {
 public:
  GptLearner(const Gpt& gpt, bool chooses) : gpt_(gpt), chooses_(chooses) {}
  Sight sight() const override { return Sight::kCausal; }
  const at::TensorOptions& options() const override { return gpt_.options(); }
  DropoutRates dropout() const override { return gpt_.config().dropout; }
  at::Tensor states(const BatchInput& input, const Dropout& dropout) const override {
    return gpt_.decode(input, dropout);
  }
  at::Tensor choice_logits(const at::Tensor& states, const at::Tensor& rows, const Dropout& dropout,
                           const at::Tensor& row_keys) const override {
    return gpt_.choice_logits(states.index_select(0, rows), dropout, row_keys);
  }
  at::Tensor word_loss(const at::Tensor& states, const at::Tensor& rows, const at::Tensor& words,
                       const at::Tensor& weights) const override {
    return gpt_.token_loss(states.index_select(0, rows), words, weights);
  }
  std::vector<ParameterStore::Stretch> without_effect() const override;
  void weights_changed() const override { gpt_.weights_changed(); }

 private:
  const Gpt& gpt_;
  bool chooses_;
};

}  // namespace gumption
