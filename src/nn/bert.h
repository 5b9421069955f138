#pragma once

// BERT: the encoder, its pooler, and the heads for multiple choice, next sentences and masked words.

#include <optional>
#include <vector>

#include <ATen/ATen.h>

#include "gumption/nn/batch_input.h"
#include "gumption/nn/layers.h"
#include "gumption/nn/parameter_source.h"
#include "gumption/nn/training_block.h"

namespace gumption {

/// Which heads a model is loaded with. UserError where the checkpoint lacks one, unless it may be made new.
struct BertHeads {
  bool pooler = false;
  bool multiple_choice = false;  // needs the pooler
  bool next_sentence = false;    // needs the pooler
  bool masked_lm = false;
};

class Bert {
 public:
  /// Takes its parameters from `source`. Heads that the checkpoint lacks are made new when `new_heads` says so, from
  /// the default random generator.
  Bert(const ModelConfig& config, ParameterSource& source, BertHeads heads, bool new_heads = false);

  BatchInput input(const PackedTokens& tokens) const;

  /// The last states, [tokens, hidden]. With `all_states`: also the embeddings and every layer's output.
  at::Tensor encode(const BatchInput& input, const Dropout& dropout = {},
                    std::vector<at::Tensor>* all_states = nullptr) const;

  /// The pooled vectors of the tokens at `rows` (each sequence's [CLS]), [rows, hidden].
  at::Tensor pool(const at::Tensor& states, const at::Tensor& rows) const;

  /// One number for each pooled vector, [rows]. `row_keys` are the vectors' keys where dropout goes by keys.
  at::Tensor choice_logits(const at::Tensor& pooled, const Dropout& dropout = {},
                           const at::Tensor& row_keys = {}) const;

  /// [rows, 2]: is next, is not next.
  at::Tensor next_sentence_logits(const at::Tensor& pooled) const;

  /// Of the tokens at `rows`, over the vocabulary: [rows, vocabulary].
  at::Tensor masked_lm_logits(const at::Tensor& states, const at::Tensor& rows) const;

  /// To be called when the parameters were changed, before the next pass without gradients.
  void weights_changed() const;

  /// The loss of predicting words at `rows`: see word_loss.h.
  at::Tensor masked_lm_loss(const at::Tensor& states, const at::Tensor& rows, const at::Tensor& words,
                            const at::Tensor& weights) const;

  const ModelConfig& config() const { return config_; }
  const at::TensorOptions& options() const { return options_; }

 private:
  struct Layer {
    Linear query, key, value, attention_output, inner, output;
    LayerNorm attention_norm, output_norm;
    mutable Linear query_key_value;                    // the three as one; made at the first use without gradients
    mutable std::optional<BlockParameters> for_block;  // made at the first use by a kernel that trains the whole layer
  };
  /// [tokens, heads, width] each.
  struct QueryKeyValue {
    at::Tensor query, key, value;
  };

  void load_heads(ParameterSource& source, BertHeads heads, bool new_heads);
  void load_masked_lm(ParameterSource& source, bool new_heads);
  at::Tensor embed(const BatchInput& input, const Dropout& dropout) const;
  /// What the masked-LM head's matrix is multiplied with.
  at::Tensor transformed(const at::Tensor& states, const at::Tensor& rows) const;
  QueryKeyValue project(const Layer& layer, const at::Tensor& x) const;
  at::Tensor apply(const Layer& layer, const at::Tensor& x, const BatchInput& input, const Dropout& dropout) const;
  /// By one fused function with gradients, where there is one for this layer.
  std::optional<at::Tensor> apply_fused(std::size_t index, const at::Tensor& x, const BatchInput& input,
                                        const Dropout& dropout) const;

  ModelConfig config_;
  at::TensorOptions options_;
  at::Tensor words_, positions_, types_;
  LayerNorm embedding_norm_;
  std::vector<Layer> layers_;
  Linear pooler_, classifier_, next_sentence_;
  Linear transform_;
  LayerNorm transform_norm_;
  Linear decoder_;
};

}  // namespace gumption
