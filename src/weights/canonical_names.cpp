#include "gumption/weights/canonical_names.h"

#include <algorithm>
#include <array>

#include "gumption/base/options.h"

namespace gumption {

namespace {

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// Replaces the end `from` by `to`, where it is the end.
void replace_end(std::string& text, std::string_view from, std::string_view to) {
  if (!text.ends_with(from)) return;
  text.resize(text.size() - from.size());
  text += to;
}

template <class Prefixes>
bool starts_with_any(std::string_view text, const Prefixes& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return text.starts_with(prefix); });
}

/// Registered with the module and so stored, but made again from nothing.
bool is_buffer(std::string_view name, Architecture architecture) {
  if (name.ends_with("position_ids") || name.ends_with("embeddings.token_type_ids")) return true;
  return architecture != Architecture::kBert && (name.ends_with(".attn.bias") || name.ends_with(".attn.masked_bias"));
}

/// TensorFlow's optimisers keep their state beside the variables.
bool is_training_state(std::string_view name) {
  constexpr std::array<std::string_view, 6> kEnds = {"adam_m", "adam_v", "Adam", "Adam_1", "lamb_m", "lamb_v"};
  const std::string_view last = name.substr(name.rfind('/') + 1);
  return std::find(kEnds.begin(), kEnds.end(), last) != kEnds.end() || last == "global_step" || last == "beta1_power" ||
         last == "beta2_power" || last.starts_with("AdamWeightDecayOptimizer") || name == "save_counter" ||
         name == "good_steps" || name == "loss_scale";
}

std::string joined(const std::vector<std::string_view>& parts) {
  std::string name;
  for (const std::string_view part : parts) {
    if (!name.empty()) name += '.';
    name += part;
  }
  return name;
}

CanonicalName bert_from_tensorflow(std::string_view name) {
  if (name == "cls/predictions/output_bias") return {"cls.predictions.bias"};
  if (name == "cls/seq_relationship/output_weights") return {"cls.seq_relationship.weight"};
  if (name == "cls/seq_relationship/output_bias") return {"cls.seq_relationship.bias"};
  if (name == "output_weights") return {"classifier.weight"};
  if (name == "output_bias") return {"classifier.bias"};
  if (name.starts_with("bert/embeddings/") && name.ends_with("_embeddings")) {
    return {joined(split_text(name, '/')) + ".weight"};
  }
  auto parts = split_text(name, '/');
  std::string layer;
  for (auto& part : parts) {  // layer_0 → layer.0
    if (part.starts_with("layer_")) {
      layer = "layer." + std::string(part.substr(6));
      part = layer;
    }
  }
  CanonicalName result;
  if (parts.back() == "kernel") {
    result.transpose = true;
    parts.back() = "weight";
  } else if (parts.back() == "gamma") {
    parts.back() = "weight";
  } else if (parts.back() == "beta") {
    parts.back() = "bias";
  }
  result.name = joined(parts);
  return result;
}

CanonicalName gpt2_from_tensorflow(std::string_view name) {
  take_prefix(name, "model/");
  if (name == "wte" || name == "wpe") return {"transformer." + std::string(name) + ".weight"};
  auto parts = split_text(name, '/');
  std::string layer;
  if (parts.front().size() > 1 && parts.front().front() == 'h') {  // h0 → h.0
    layer = "h." + std::string(parts.front().substr(1));
    parts.front() = layer;
  }
  if (parts.back() == "w" || parts.back() == "g") parts.back() = "weight";
  if (parts.back() == "b") parts.back() = "bias";
  return {"transformer." + joined(parts)};
}

}  // namespace

CanonicalName canonical_from_pytorch(std::string_view stored, Architecture architecture) {
  constexpr std::array<std::string_view, 3> kBertParts = {"embeddings.", "encoder.", "pooler."};
  constexpr std::array<std::string_view, 6> kGptParts = {"wte.", "wpe.",          "ln_f.",
                                                         "h.",   "tokens_embed.", "positions_embed."};
  std::string_view rest = stored;
  while (take_prefix(rest, "module.") || take_prefix(rest, "model.")) {
  }
  if (is_buffer(rest, architecture)) return {};
  std::string name(rest);
  if (architecture == Architecture::kBert) {
    if (starts_with_any(name, kBertParts)) name = "bert." + name;
    replace_end(name, "LayerNorm.gamma", "LayerNorm.weight");
    replace_end(name, "LayerNorm.beta", "LayerNorm.bias");
    if (name == "cls.predictions.decoder.bias") name = "cls.predictions.bias";
  } else {
    if (starts_with_any(name, kGptParts)) name = "transformer." + name;
    replace_end(name, ".gamma", ".weight");
    replace_end(name, ".beta", ".bias");
    // What the first ports of GPT-1 and GPT-2 called their layer norms' and heads' parts.
    for (const char* norm : {"ln_1", "ln_2", "ln_f"}) {
      replace_end(name, std::string(norm) + ".g", std::string(norm) + ".weight");
      replace_end(name, std::string(norm) + ".b", std::string(norm) + ".bias");
    }
    if (name == "lm_head.decoder.weight") name = "lm_head.weight";
    if (name == "multiple_choice_head.linear.weight") name = "multiple_choice_head.summary.weight";
    if (name == "multiple_choice_head.linear.bias") name = "multiple_choice_head.summary.bias";
  }
  return {name};
}

CanonicalName canonical_from_tensorflow(std::string_view stored, Architecture architecture) {
  if (is_training_state(stored)) return {};
  std::string_view rest = stored;
  while (take_prefix(rest, "module/")) {
  }
  return architecture == Architecture::kBert ? bert_from_tensorflow(rest) : gpt2_from_tensorflow(rest);
}

}  // namespace gumption
