#include "gumption/nn/bert.h"

#include <fmt/format.h>

#include "gumption/base/error.h"

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
  if (!heads.masked_lm) return;
  transform_ = Linear(source, "cls.predictions.transform.dense");
  transform_norm_ = LayerNorm(source, "cls.predictions.transform.LayerNorm", config_.layer_norm_epsilon);
  const std::string own = "cls.predictions.decoder.weight";
  decoder_ = Linear(source.has(own) ? source.take(own) : words_, source.take("cls.predictions.bias"));
}

EncoderInput Bert::input(const PackedTokens& tokens) const {
  ensure(tokens.types.size() == tokens.ids.size(), "every token has a type");
  return {to_device(tokens.ids, options_), to_device(tokens.positions, options_), to_device(tokens.types, options_),
          AttentionPlan(tokens.layout, Sight::kBothWays, options_)};
}

at::Tensor Bert::embed(const EncoderInput& input, const Dropout& dropout) const {
  const at::Tensor sum = at::embedding(words_, input.ids) + at::embedding(positions_, input.positions) +
                         at::embedding(types_, input.types);
  return dropout.embedding(embedding_norm_(sum.to(options_.dtype())));
}

at::Tensor Bert::apply(const Layer& layer, const at::Tensor& x, const EncoderInput& input,
                       const Dropout& dropout) const {
  const std::int64_t tokens = x.size(0);
  const auto by_heads = [&](const at::Tensor& y) {
    return y.view({tokens, config_.heads, config_.hidden / config_.heads});
  };
  const at::Tensor seen = input.attention.attend(by_heads(layer.query(x)), by_heads(layer.key(x)),
                                                 by_heads(layer.value(x)), dropout.attention());
  const at::Tensor attended =
      layer.attention_norm.of_sum(dropout.residual(layer.attention_output(seen.reshape({tokens, config_.hidden}))), x);
  const at::Tensor inner = layer.inner.activated(attended, config_.activation);
  return layer.output_norm.of_sum(dropout.residual(layer.output(inner)), attended);
}

at::Tensor Bert::encode(const EncoderInput& input, const Dropout& dropout, std::vector<at::Tensor>* all_states) const {
  at::Tensor states = embed(input, dropout);
  if (all_states != nullptr) all_states->push_back(states);
  for (const Layer& layer : layers_) {
    states = apply(layer, states, input, dropout);
    if (all_states != nullptr) all_states->push_back(states);
  }
  return states;
}

at::Tensor Bert::pool(const at::Tensor& states, const at::Tensor& rows) const {
  ensure(pooler_.defined(), "the model was loaded with its pooler");
  const at::Tensor first = states.index_select(0, rows);
  return at::tanh(pooler_(first.scalar_type() == at::kDouble ? first : first.to(at::kFloat)));
}

at::Tensor Bert::choice_logits(const at::Tensor& pooled, const Dropout& dropout) const {
  ensure(classifier_.defined(), "the model was loaded with its multiple-choice head");
  return classifier_(dropout.classifier(pooled)).squeeze(-1);
}

at::Tensor Bert::next_sentence_logits(const at::Tensor& pooled) const {
  ensure(next_sentence_.defined(), "the model was loaded with its next-sentence head");
  return next_sentence_(pooled);
}

at::Tensor Bert::masked_lm_logits(const at::Tensor& states, const at::Tensor& rows) const {
  ensure(decoder_.defined(), "the model was loaded with its masked-LM head");
  const at::Tensor transformed =
      transform_norm_(transform_.activated(states.index_select(0, rows), config_.activation));
  return decoder_(transformed);
}

}  // namespace gumption
