#include "gumption/nn/bert.h"

#include <fmt/format.h>

#include "gumption/base/error.h"
#include "gumption/nn/block_parameters.h"
#include "gumption/nn/lookup.h"
#include "gumption/nn/word_loss.h"

namespace gumption {

namespace {

/// A layer that the checkpoint has, or a new one with normally distributed weights and zero biases.
Linear exact_linear(ParameterSource& source, const std::string& prefix, bool may_be_new, std::int64_t outputs,
                    const ModelConfig& config) {
  if (source.has(prefix + ".weight") || !may_be_new) {
    return {source.take_exact(prefix + ".weight"), source.take_exact(prefix + ".bias")};
  }
  const auto options = source.options().dtype(source.options().dtype() == at::kDouble ? at::kDouble : at::kFloat);
  // Drawn on the CPU, so that a seed gives the same head on every device.
  at::Tensor weight =
      at::empty({outputs, config.hidden}, options.device(at::kCPU)).normal_(0, config.initializer_range);
  return {source.create(prefix + ".weight", weight.to(options)),
          source.create(prefix + ".bias", at::zeros({outputs}, options))};
}

}  // namespace

Bert::Bert(const ModelConfig& config, ParameterSource& source, BertHeads heads, bool new_heads)
    : config_(config), options_(source.options()) {
  ensure(config.architecture == Architecture::kBert, "a BERT is made from a BERT's config");
  const std::string embeddings = "bert.embeddings.";
  words_ = source.take(embeddings + "word_embeddings.weight");
  positions_ = source.take(embeddings + "position_embeddings.weight");
  types_ = source.take(embeddings + "token_type_embeddings.weight");
  embedding_norm_ = LayerNorm(source, embeddings + "LayerNorm", config.layer_norm_epsilon);
  for (std::int64_t i = 0; i < config.layers; ++i) {
    const std::string prefix = fmt::format("bert.encoder.layer.{}.", i);
    Layer layer;
    layer.query = Linear(source, prefix + "attention.self.query");
    layer.key = Linear(source, prefix + "attention.self.key");
    layer.value = Linear(source, prefix + "attention.self.value");
    layer.attention_output = Linear(source, prefix + "attention.output.dense");
    layer.attention_norm = LayerNorm(source, prefix + "attention.output.LayerNorm", config.layer_norm_epsilon);
    layer.inner = Linear(source, prefix + "intermediate.dense");
    layer.output = Linear(source, prefix + "output.dense");
    layer.output_norm = LayerNorm(source, prefix + "output.LayerNorm", config.layer_norm_epsilon);
    layers_.push_back(std::move(layer));
  }
  load_heads(source, heads, new_heads);
}

void Bert::load_heads(ParameterSource& source, BertHeads heads, bool new_heads) {
  if (heads.pooler || heads.multiple_choice || heads.next_sentence) {
    pooler_ = exact_linear(source, "bert.pooler.dense", new_heads, config_.hidden, config_);
  }
  if (heads.multiple_choice) classifier_ = exact_linear(source, "classifier", new_heads, 1, config_);
  if (heads.next_sentence) next_sentence_ = exact_linear(source, "cls.seq_relationship", new_heads, 2, config_);
  if (heads.masked_lm) load_masked_lm(source, new_heads);
}

void Bert::load_masked_lm(ParameterSource& source, bool new_heads) {
  const std::string prefix = "cls.predictions.";
  const std::string norm = prefix + "transform.LayerNorm";
  if (source.has(prefix + "bias") || !new_heads) {
    transform_ = Linear(source, prefix + "transform.dense");
    transform_norm_ = LayerNorm(source, norm, config_.layer_norm_epsilon);
    const std::string own = prefix + "decoder.weight";
    decoder_ = Linear(source.has(own) ? source.take(own) : words_, source.take(prefix + "bias"));
    return;
  }
  transform_ = exact_linear(source, prefix + "transform.dense", true, config_.hidden, config_);
  const at::TensorOptions options = transform_.weight().options();
  transform_norm_ =
      LayerNorm(source.create(norm + ".weight", at::ones({config_.hidden}, options)),
                source.create(norm + ".bias", at::zeros({config_.hidden}, options)), config_.layer_norm_epsilon);
  decoder_ = Linear(words_, source.create(prefix + "bias", at::zeros({config_.vocabulary}, options)));
}

BatchInput Bert::input(const PackedTokens& tokens) const {
  ensure(tokens.types.size() == tokens.ids.size(), "every token has a type");
  return BatchInput(tokens, Sight::kBothWays, options_);
}

at::Tensor Bert::embed(const BatchInput& input, const Dropout& dropout) const {
  const at::Tensor sum =
      look_up(words_, input.ids) + at::embedding(positions_, input.positions) + at::embedding(types_, input.types);
  return dropout.embedding(embedding_norm_(sum.to(options_.dtype())));
}

Bert::QueryKeyValue Bert::project(const Layer& layer, const at::Tensor& x) const {
  const std::int64_t tokens = x.size(0);
  const std::int64_t width = config_.hidden / config_.heads;
  if (!fused_kernels_are_used()) {
    const auto by_heads = [&](const at::Tensor& y) { return y.view({tokens, config_.heads, width}); };
    return {by_heads(layer.query(x)), by_heads(layer.key(x)), by_heads(layer.value(x))};
  }
  Linear& all = layer.query_key_value;
  if (!all.defined()) all = Linear::joined({&layer.query, &layer.key, &layer.value});
  const at::Tensor projected = all(x).view({tokens, 3, config_.heads, width});
  return {projected.select(1, 0), projected.select(1, 1), projected.select(1, 2)};
}

at::Tensor Bert::apply(const Layer& layer, const at::Tensor& x, const BatchInput& input, const Dropout& dropout) const {
  const std::int64_t tokens = x.size(0);
  const QueryKeyValue projected = project(layer, x);
  const at::Tensor seen = input.attention.attend(projected.query, projected.key, projected.value, dropout.attention());
  const at::Tensor attended =
      layer.attention_norm.of_sum(dropout.residual(layer.attention_output(seen.reshape({tokens, config_.hidden}))), x);
  const at::Tensor inner = layer.inner.activated(attended, config_.activation);
  return layer.output_norm.of_sum(dropout.residual(layer.output(inner)), attended);
}

std::optional<at::Tensor> Bert::apply_fused(std::size_t index, const at::Tensor& x, const BatchInput& input,
                                            const Dropout& dropout) const {
  if (!dropout.seed.defined() || input.attention.offsets() == nullptr) return std::nullopt;
  const Layer& layer = layers_[index];
  if (!layer.for_block) {
    BlockParameters all;
    all.attention = block_linear({&layer.query, &layer.key, &layer.value});
    all.attention_output = block_linear({&layer.attention_output});
    all.inner = block_linear({&layer.inner});
    all.output = block_linear({&layer.output});
    all.attention_norm = block_norm(layer.attention_norm);
    all.output_norm = block_norm(layer.output_norm);
    layer.for_block = std::move(all);
  }
  BlockSettings settings;
  settings.heads = config_.heads;
  settings.epsilon = config_.layer_norm_epsilon;
  settings.activation = config_.activation;
  settings.attention_dropout = dropout.active ? dropout.rates.attention : 0;
  settings.residual_dropout = dropout.active ? dropout.rates.residual : 0;
  settings.index = static_cast<std::int64_t>(index);
  if (!training_block_is_supported(x, *layer.for_block, settings)) return std::nullopt;
  return training_block(x, *layer.for_block, *input.attention.offsets(), settings, dropout.seed);
}

void Bert::weights_changed() const {
  for (const Layer& layer : layers_) {
    for (const Linear* part :
         {&layer.query, &layer.key, &layer.value, &layer.attention_output, &layer.inner, &layer.output}) {
      part->forget_packed();
    }
    layer.query_key_value = Linear();
  }
  for (const Linear* part : {&pooler_, &classifier_, &next_sentence_, &transform_, &decoder_}) part->forget_packed();
}

at::Tensor Bert::encode(const BatchInput& input, const Dropout& dropout, std::vector<at::Tensor>* all_states) const {
  at::Tensor states = embed(input, dropout);
  if (all_states != nullptr) all_states->push_back(states);
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    if (auto fused = apply_fused(i, states, input, dropout)) {
      states = *std::move(fused);
    } else {
      states = apply(layers_[i], states, input, dropout);
    }
    if (all_states != nullptr) all_states->push_back(states);
  }
  return states;
}

at::Tensor Bert::pool(const at::Tensor& states, const at::Tensor& rows) const {
  ensure(pooler_.defined(), "the model was loaded with its pooler");
  const at::Tensor first = states.index_select(0, rows);
  return at::tanh(pooler_(first.scalar_type() == at::kDouble ? first : first.to(at::kFloat)));
}

at::Tensor Bert::choice_logits(const at::Tensor& pooled, const Dropout& dropout, const at::Tensor& row_keys) const {
  ensure(classifier_.defined(), "the model was loaded with its multiple-choice head");
  return classifier_(dropout.classifier(pooled, row_keys)).squeeze(-1);
}

at::Tensor Bert::next_sentence_logits(const at::Tensor& pooled) const {
  ensure(next_sentence_.defined(), "the model was loaded with its next-sentence head");
  return next_sentence_(pooled);
}

at::Tensor Bert::transformed(const at::Tensor& states, const at::Tensor& rows) const {
  ensure(decoder_.defined(), "the model was loaded with its masked-LM head");
  return transform_norm_(transform_.activated(states.index_select(0, rows), config_.activation));
}

at::Tensor Bert::masked_lm_logits(const at::Tensor& states, const at::Tensor& rows) const {
  return decoder_(transformed(states, rows));
}

at::Tensor Bert::masked_lm_loss(const at::Tensor& states, const at::Tensor& rows, const at::Tensor& words,
                                const at::Tensor& weights) const {
  return word_loss(transformed(states, rows), decoder_.weight(), decoder_.bias(), words, weights);
}

}  // namespace gumption
