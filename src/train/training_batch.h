#pragma once

// What is learnt from: sequences, and what the model should have said at some of their tokens.

#include <cstdint>
#include <vector>

#include <ATen/ATen.h>

#include "gumption/nn/batch_input.h"
#include "gumption/nn/dropout.h"
#include "gumption/nn/packed.h"
#include "gumption/train/parameter_store.h"

namespace gumption {

/// A batch on the host. Its loss is the weighted sum of -log P(right choice) over its questions and of -log P(word)
/// over its words; either may be missing.
struct TrainingBatch {
  PackedTokens tokens;
  std::vector<std::int64_t> keys;  // of dropout, one for each token

  /// Appends a sequence; its tokens' keys follow from `key` and their place in it. Gives the segment's index.
  std::int64_t add(std::span<const std::int32_t> ids, std::span<const std::int32_t> types, std::int64_t parent,
                   std::uint64_t key);

  struct Question {
    std::vector<std::int64_t> choices;  // indices into choice_rows, the right one first
    float weight = 0;
  };
  std::vector<std::int64_t> choice_rows;  // tokens at which the choice head reads
  std::vector<std::int64_t> choice_keys;  // of the head's dropout
  std::vector<Question> questions;

  std::vector<std::int64_t> word_rows;  // tokens at which words are predicted
  std::vector<std::int64_t> words;      // those that are right
  std::vector<float> word_weights;

  std::int64_t most_choices() const;
};

/// The same on the device.
struct TrainingInput {
  BatchInput input;
  at::Tensor choice_rows;
  at::Tensor choice_keys;       // undefined where dropout doesn't go by keys
  at::Tensor choices;           // [questions, most choices] indices into the logits, which end with a -inf
  at::Tensor question_weights;  // [questions]
  at::Tensor word_rows;
  at::Tensor words;
  at::Tensor word_weights;
};

/// Puts a batch onto the device. A question of fewer choices than others is filled up with the index behind the last.
TrainingInput to_device(const TrainingBatch& batch, Sight sight, const at::TensorOptions& options);

/// The indices of all questions' choices, one question after another, each filled up to `most` with `none`.
std::vector<std::int64_t> choice_table(const TrainingBatch& batch, std::int64_t most, std::int64_t none);

/// What a trainer asks of a model.
class Learner {
 public:
  virtual ~Learner() = default;
  virtual Sight sight() const = 0;
  virtual const at::TensorOptions& options() const = 0;
  /// The dropout that the model was made with.
  virtual DropoutRates dropout() const = 0;
  virtual at::Tensor states(const BatchInput& input, const Dropout& dropout) const = 0;
  /// [rows]
  virtual at::Tensor choice_logits(const at::Tensor& states, const at::Tensor& rows, const Dropout& dropout,
                                   const at::Tensor& row_keys) const = 0;
  /// The weighted sum of -log P(word) at `rows`.
  virtual at::Tensor word_loss(const at::Tensor& states, const at::Tensor& rows, const at::Tensor& words,
                               const at::Tensor& weights) const = 0;
  /// Parameters of which a softmax over choices or keys takes no notice: it doesn't see what is added to all.
  virtual std::vector<ParameterStore::Stretch> without_effect() const = 0;
  /// Called when the weights were changed, before anything is computed without gradients.
  virtual void weights_changed() const = 0;
};

/// The batch's loss, differentiable, in float32 at least. Made of tensor operations alone.
at::Tensor loss_of(const Learner& learner, const TrainingInput& batch, const Dropout& dropout);

}  // namespace gumption
