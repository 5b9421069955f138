#pragma once

// GPT-1 and GPT-2: the decoder, its tied language-model head, GPT-1's classification head, and continuation with a
// cache. GPT-1 normalises after each part, GPT-2 before it and once more at the end.

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <ATen/ATen.h>

#include "gumption/nn/batch_input.h"
#include "gumption/nn/layers.h"
#include "gumption/nn/parameter_source.h"
#include "gumption/nn/training_block.h"

namespace gumption {

/// Keys and values of the tokens so far, [tokens, heads, width] for each layer.
struct KeyValueCache {
  std::vector<at::Tensor> keys;
  std::vector<at::Tensor> values;
  std::int64_t length = 0;
};

class Gpt {
 public:
  /// Takes its parameters from `source`. `choice_head`: with the head that reads a sequence's last token; made new,
  /// from the default random generator, where the checkpoint lacks it and `new_heads` says so.
  Gpt(const ModelConfig& config, ParameterSource& source, bool choice_head, bool new_heads = false);

  BatchInput input(const PackedTokens& tokens) const;

  /// The last states, [tokens, hidden].
  at::Tensor decode(const BatchInput& input, const Dropout& dropout = {}) const;

  /// Over the vocabulary, of any rows of states: [rows, vocabulary].
  at::Tensor token_logits(const at::Tensor& states) const;

  /// The loss of predicting words behind any rows of states: see word_loss.h.
  at::Tensor token_loss(const at::Tensor& states, const at::Tensor& words, const at::Tensor& weights) const;

  /// One number for each state, [rows]. `row_keys` are the states' keys where dropout goes by keys.
  at::Tensor choice_logits(const at::Tensor& states, const Dropout& dropout = {},
                           const at::Tensor& row_keys = {}) const;

  /// Goes on by `ids` behind what `cache` holds, which is extended. Gives the states of the new tokens.
  at::Tensor extend(std::span<const std::int32_t> ids, KeyValueCache& cache) const;

  /// To be called when the parameters were changed, before the next pass without gradients.
  void weights_changed() const;

  const ModelConfig& config() const { return config_; }
  const at::TensorOptions& options() const { return options_; }

 private:
  struct Layer {
    Linear attention, attention_output, inner, output;
    LayerNorm first_norm, second_norm;
    mutable std::optional<BlockParameters> for_block;  // made at the first use by a kernel that trains the whole layer
  };
  /// Attends with a layer's queries, keys and values.
  using Attend = std::function<at::Tensor(std::size_t layer, const at::Tensor& query, const at::Tensor& key,
                                          const at::Tensor& value)>;

  at::Tensor embed(const at::Tensor& ids, const at::Tensor& positions, const Dropout& dropout) const;
  at::Tensor run(at::Tensor states, const Attend& attend, const Dropout& dropout,
                 const SegmentOffsets* offsets = nullptr) const;
  /// By one fused function with gradients, where there is one for this layer.
  std::optional<at::Tensor> apply_fused(std::size_t index, const at::Tensor& x, const SegmentOffsets* offsets,
                                        const Dropout& dropout) const;
  at::Tensor attention_part(std::size_t index, const at::Tensor& x, const Attend& attend, const Dropout& dropout) const;
  at::Tensor inner_part(const Layer& layer, const at::Tensor& x, const Dropout& dropout) const;

  ModelConfig config_;
  at::TensorOptions options_;
  at::Tensor tokens_, positions_;
  at::Tensor output_;  // the tied matrix, or one of its own
  std::vector<Layer> layers_;
  LayerNorm final_norm_;  // GPT-2 only
  Linear choice_;
};

/// The `count` likeliest tokens after `prompt`, one by one; of equally likely ones the lowest. Stops early at the
/// model's last position. `prompt` must not be empty.
std::vector<std::int32_t> continue_greedily(const Gpt& model, std::span<const std::int32_t> prompt, std::int64_t count);

}  // namespace gumption
