#include "gumption/nn/gpt.h"

#include <functional>

#include <c10/core/GradMode.h>
#include <fmt/format.h>

#include "gumption/base/error.h"
#include "gumption/nn/block_parameters.h"
#include "gumption/nn/lookup.h"
#include "gumption/nn/word_loss.h"

namespace gumption {

namespace {

constexpr auto kConv1d = MatrixForm::kInputsByOutputs;

Linear choice_head(ParameterSource& source, bool may_be_new, const ModelConfig& config) {
  const std::string prefix = "multiple_choice_head.summary.";
  if (source.has(prefix + "weight") || !may_be_new) {
    return {source.take_exact(prefix + "weight"), source.take_exact(prefix + "bias")};
  }
  const auto options = source.options().dtype(source.options().dtype() == at::kDouble ? at::kDouble : at::kFloat);
  at::Tensor weight = at::empty({1, config.hidden}, options.device(at::kCPU)).normal_(0, config.initializer_range);
  return {source.create(prefix + "weight", weight.to(options)),
          source.create(prefix + "bias", at::zeros({1}, options))};
}

}  // namespace

Gpt::Gpt(const ModelConfig& config, ParameterSource& source, bool with_choice_head, bool new_heads)
    : config_(config), options_(source.options()) {
  const bool is_gpt1 = config.architecture == Architecture::kGpt1;
  ensure(is_gpt1 || config.architecture == Architecture::kGpt2, "a GPT is made from a GPT's config");
  tokens_ = source.take(is_gpt1 ? "transformer.tokens_embed.weight" : "transformer.wte.weight");
  positions_ = source.take(is_gpt1 ? "transformer.positions_embed.weight" : "transformer.wpe.weight");
  for (std::int64_t i = 0; i < config.layers; ++i) {
    const std::string prefix = fmt::format("transformer.h.{}.", i);
    Layer layer;
    layer.attention = Linear(source, prefix + "attn.c_attn", kConv1d);
    layer.attention_output = Linear(source, prefix + "attn.c_proj", kConv1d);
    layer.first_norm = LayerNorm(source, prefix + "ln_1", config.layer_norm_epsilon);
    layer.inner = Linear(source, prefix + "mlp.c_fc", kConv1d);
    layer.output = Linear(source, prefix + "mlp.c_proj", kConv1d);
    layer.second_norm = LayerNorm(source, prefix + "ln_2", config.layer_norm_epsilon);
    layers_.push_back(std::move(layer));
  }
  if (!is_gpt1) final_norm_ = LayerNorm(source, "transformer.ln_f", config.layer_norm_epsilon);
  output_ = source.has("lm_head.weight") ? source.take("lm_head.weight") : tokens_;
  if (with_choice_head) choice_ = choice_head(source, new_heads, config);
}

BatchInput Gpt::input(const PackedTokens& tokens) const { return BatchInput(tokens, Sight::kCausal, options_); }

at::Tensor Gpt::embed(const at::Tensor& ids, const at::Tensor& positions, const Dropout& dropout) const {
  return dropout.embedding((look_up(tokens_, ids) + at::embedding(positions_, positions)).to(options_.dtype()));
}

at::Tensor Gpt::attention_part(std::size_t index, const at::Tensor& x, const Attend& attend,
                               const Dropout& dropout) const {
  const std::int64_t tokens = x.size(0);
  const at::Tensor all = layers_[index].attention(x).view({tokens, 3, config_.heads, config_.hidden / config_.heads});
  const at::Tensor seen = attend(index, all.select(1, 0), all.select(1, 1), all.select(1, 2));
  return dropout.residual(layers_[index].attention_output(seen.reshape({tokens, config_.hidden})));
}

at::Tensor Gpt::inner_part(const Layer& layer, const at::Tensor& x, const Dropout& dropout) const {
  return dropout.residual(layer.output(layer.inner.activated(x, config_.activation)));
}

std::optional<at::Tensor> Gpt::apply_fused(std::size_t index, const at::Tensor& x, const SegmentOffsets* offsets,
                                           const Dropout& dropout) const {
  if (!dropout.seed.defined() || offsets == nullptr) return std::nullopt;
  const Layer& layer = layers_[index];
  if (!layer.for_block) {
    BlockParameters all;
    all.attention = block_linear({&layer.attention});
    all.attention_output = block_linear({&layer.attention_output});
    all.inner = block_linear({&layer.inner});
    all.output = block_linear({&layer.output});
    all.attention_norm = block_norm(layer.first_norm);
    all.output_norm = block_norm(layer.second_norm);
    all.form = kConv1d;
    layer.for_block = std::move(all);
  }
  BlockSettings settings;
  settings.heads = config_.heads;
  settings.epsilon = config_.layer_norm_epsilon;
  settings.activation = config_.activation;
  settings.causal = true;
  settings.attention_dropout = dropout.active ? dropout.rates.attention : 0;
  settings.residual_dropout = dropout.active ? dropout.rates.residual : 0;
  settings.index = static_cast<std::int64_t>(index);
  if (!training_block_is_supported(x, *layer.for_block, settings)) return std::nullopt;
  return training_block(x, *layer.for_block, *offsets, settings, dropout.seed);
}

void Gpt::weights_changed() const {
  for (const Layer& layer : layers_) {
    for (const Linear* part : {&layer.attention, &layer.attention_output, &layer.inner, &layer.output}) {
      part->forget_packed();
    }
  }
  choice_.forget_packed();
}

at::Tensor Gpt::run(at::Tensor states, const Attend& attend, const Dropout& dropout,
                    const SegmentOffsets* offsets) const {
  const bool norm_after = config_.architecture == Architecture::kGpt1;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const Layer& layer = layers_[i];
    auto fused = norm_after ? apply_fused(i, states, offsets, dropout) : std::nullopt;
    if (fused) {
      states = *std::move(fused);
    } else if (norm_after) {
      states = layer.first_norm.of_sum(attention_part(i, states, attend, dropout), states);
      states = layer.second_norm.of_sum(inner_part(layer, states, dropout), states);
    } else {
      states = states + attention_part(i, layer.first_norm(states), attend, dropout);
      states = states + inner_part(layer, layer.second_norm(states), dropout);
    }
  }
  return norm_after ? states : final_norm_(states);
}

at::Tensor Gpt::decode(const BatchInput& input, const Dropout& dropout) const {
  const auto attend = [&](std::size_t, const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) {
    return input.attention.attend(query, key, value, dropout.attention());
  };
  return run(embed(input.ids, input.positions, dropout), attend, dropout, input.attention.offsets());
}

at::Tensor Gpt::token_logits(const at::Tensor& states) const {
  return at::linear(states, as_precise_as(output_, states));
}

at::Tensor Gpt::token_loss(const at::Tensor& states, const at::Tensor& words, const at::Tensor& weights) const {
  return word_loss(states, output_, {}, words, weights);
}

at::Tensor Gpt::choice_logits(const at::Tensor& states, const Dropout& dropout, const at::Tensor& row_keys) const {
  ensure(choice_.defined(), "the model was loaded with its choice head");
  const at::Tensor exact = states.scalar_type() == at::kDouble ? states : states.to(at::kFloat);
  return choice_(dropout.classifier(exact, row_keys)).squeeze(-1);
}

at::Tensor Gpt::extend(std::span<const std::int32_t> ids, KeyValueCache& cache) const {
  PackedTokens tokens;
  tokens.add(ids);
  cache.keys.resize(layers_.size());
  cache.values.resize(layers_.size());
  const auto attend = [&](std::size_t layer, const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) {
    at::Tensor& keys = cache.keys[layer];
    at::Tensor& values = cache.values[layer];
    keys = keys.defined() ? at::cat({keys, key}) : key;
    values = values.defined() ? at::cat({values, value}) : value;
    const auto by_heads = [](const at::Tensor& x) { return x.transpose(0, 1).unsqueeze(0); };
    const std::int64_t fresh = query.size(0);
    const at::Tensor mask = at::ones({fresh, keys.size(0)}, keys.options().dtype(at::kBool)).tril(keys.size(0) - fresh);
    return at::scaled_dot_product_attention(by_heads(query), by_heads(keys), by_heads(values), mask)
        .squeeze(0)
        .transpose(0, 1);
  };
  const at::Tensor positions = to_device(tokens.positions, options_) + cache.length;
  at::Tensor states = run(embed(to_device(tokens.ids, options_), positions, {}), attend, {});
  cache.length += static_cast<std::int64_t>(ids.size());
  return states;
}

std::vector<std::int32_t> continue_greedily(const Gpt& model, std::span<const std::int32_t> prompt,
                                            std::int64_t count) {
  ensure(!prompt.empty(), "something stands before a continuation");
  const c10::NoGradGuard no_gradients;
  KeyValueCache cache;
  std::vector<std::int32_t> made;
  at::Tensor states = model.extend(prompt, cache);
  while (static_cast<std::int64_t>(made.size()) < count) {
    const at::Tensor logits = model.token_logits(states.narrow(0, states.size(0) - 1, 1));
    made.push_back(static_cast<std::int32_t>(logits.argmax(-1).item<std::int64_t>()));
    if (cache.length >= model.config().positions) break;
    states = model.extend(std::span(&made.back(), 1), cache);
  }
  return made;
}

}  // namespace gumption
