#include "gumption/weights/model_config.h"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gumption/base/error.h"
#include "gumption/base/files.h"

namespace gumption {

namespace {

using nlohmann::json;

constexpr std::int64_t kLargest = std::int64_t{1} << 31;  // no extent of a model comes near it
constexpr std::int64_t kMostLayers = 10'000;              // a list of their parameters is made before any is seen

/// Typed access to a config's keys; a key that is null counts as absent, as in transformers.
class Keys {
 public:
  Keys(const json& document, const std::string& name) : document_(document), name_(name) {}

  [[noreturn]] void refuse(const std::string& expected, const std::string& found,
                           const std::string& advice = {}) const {
    throw UserError(Complaint{name_, 0, expected, found, advice});
  }

  bool has(const char* key) const { return document_.contains(key) && !document_[key].is_null(); }

  std::int64_t size(const char* key, std::int64_t least = 1) const {
    if (!has(key))
      refuse(fmt::format("\"{}\"", key), "no such key", "The model's config.json belongs beside its weights");
    const json& value = document_[key];
    // Compared as wide as they come: an unsigned number beyond int64 would turn negative.
    if (!value.is_number_integer() || (value.is_number_unsigned() && value.get<std::uint64_t>() > kLargest) ||
        value.get<std::int64_t>() < least || value.get<std::int64_t>() > kLargest) {
      refuse(fmt::format("a whole number from {} for \"{}\"", least, key), in_quotes(value.dump()));
    }
    return value.get<std::int64_t>();
  }

  std::int64_t size_or(const char* key, std::int64_t fallback) const { return has(key) ? size(key, 0) : fallback; }

  double number_or(const char* key, double fallback, double low, double high) const {
    if (!has(key)) return fallback;
    const json& value = document_[key];
    if (!value.is_number() || !(value.get<double>() >= low && value.get<double>() <= high)) {
      refuse(fmt::format("a number from {} to {} for \"{}\"", low, high, key), in_quotes(dumped(value)));
    }
    return value.get<double>();
  }

  double rate_or(const char* key, double fallback) const { return number_or(key, fallback, 0, 1); }

  bool flag_or(const char* key, bool fallback) const {
    if (!has(key)) return fallback;
    if (!document_[key].is_boolean())
      refuse(fmt::format("true or false for \"{}\"", key), in_quotes(dumped(document_[key])));
    return document_[key].get<bool>();
  }

  std::string text_or(const char* key, const std::string& fallback) const {
    if (!has(key)) return fallback;
    if (!document_[key].is_string()) refuse(fmt::format("a text for \"{}\"", key), in_quotes(dumped(document_[key])));
    return document_[key].get<std::string>();
  }

  std::vector<std::string> texts(const char* key) const {
    std::vector<std::string> values;
    if (!has(key) || !document_[key].is_array()) return values;
    for (const json& value : document_[key]) {
      if (value.is_string()) values.push_back(value.get<std::string>());
    }
    return values;
  }

  static std::string dumped(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

 private:
  const json& document_;
  const std::string& name_;
};

Architecture architecture_of(const Keys& keys) {
  const std::string type = keys.text_or("model_type", "");
  if (type == "bert") return Architecture::kBert;
  if (type == "openai-gpt") return Architecture::kGpt1;
  if (type == "gpt2") return Architecture::kGpt2;
  if (!type.empty()) {
    keys.refuse("\"model_type\" bert, openai-gpt or gpt2", in_quotes(type), "Other architectures aren't read");
  }
  // The first configs named no type.
  if (keys.has("hidden_size")) return Architecture::kBert;
  if (keys.has("afn")) return Architecture::kGpt1;
  if (keys.has("n_embd")) return Architecture::kGpt2;
  keys.refuse("the config of a BERT, GPT-1 or GPT-2", "neither \"model_type\" nor \"hidden_size\" nor \"n_embd\"");
}

Activation activation_of(const Keys& keys, const char* key, const char* fallback, Architecture architecture) {
  const std::string name = keys.text_or(key, fallback);
  // GPT-1's table of activations has the tanh form under "gelu".
  if (name == "gelu") return architecture == Architecture::kGpt1 ? Activation::kGeluTanh : Activation::kGeluExact;
  if (name == "gelu_new" || name == "gelu_pytorch_tanh" || name == "gelu_fast") return Activation::kGeluTanh;
  if (name == "relu") return Activation::kRelu;
  if (name == "silu" || name == "swish") return Activation::kSilu;
  keys.refuse(fmt::format("gelu, gelu_new, relu or silu for \"{}\"", key), in_quotes(name));
}

void read_bert(const Keys& keys, ModelConfig& config) {
  config.layers = keys.size("num_hidden_layers");
  config.hidden = keys.size("hidden_size");
  config.heads = keys.size("num_attention_heads");
  config.inner = keys.size("intermediate_size");
  config.vocabulary = keys.size("vocab_size");
  config.positions = keys.size("max_position_embeddings");
  config.token_types = keys.size("type_vocab_size");
  config.layer_norm_epsilon = keys.number_or("layer_norm_eps", 1e-12, 0, 1);
  config.activation = activation_of(keys, "hidden_act", "gelu", config.architecture);
  const double dropout = keys.rate_or("hidden_dropout_prob", 0.1);
  config.dropout = {dropout, dropout, keys.rate_or("attention_probs_dropout_prob", 0.1),
                    keys.rate_or("classifier_dropout", dropout)};
  const std::string positions = keys.text_or("position_embedding_type", "absolute");
  if (positions != "absolute") keys.refuse("\"position_embedding_type\" absolute", in_quotes(positions));
  if (keys.flag_or("is_decoder", false)) keys.refuse("an encoder", "\"is_decoder\": true");
}

void read_gpt(const Keys& keys, ModelConfig& config) {
  const bool first = config.architecture == Architecture::kGpt1;
  config.layers = keys.size("n_layer");
  config.hidden = keys.size("n_embd");
  config.heads = keys.size("n_head");
  config.inner = keys.size_or("n_inner", 4 * config.hidden);
  config.vocabulary = keys.has("n_vocab") && !keys.has("vocab_size") ? keys.size("n_vocab") : keys.size("vocab_size");
  config.positions = keys.has("n_positions") ? keys.size("n_positions") : keys.size("n_ctx");
  config.layer_norm_epsilon = keys.number_or("layer_norm_epsilon", 1e-5, 0, 1);
  config.activation = first ? activation_of(keys, "afn", "gelu", config.architecture)
                            : activation_of(keys, "activation_function", "gelu_new", config.architecture);
  config.dropout = {keys.rate_or("embd_pdrop", 0.1), keys.rate_or("resid_pdrop", 0.1), keys.rate_or("attn_pdrop", 0.1),
                    keys.rate_or("summary_first_dropout", 0.1)};
  if (!keys.flag_or("scale_attn_weights", true)) keys.refuse("scaled attention", "\"scale_attn_weights\": false");
  if (keys.flag_or("scale_attn_by_inverse_layer_idx", false)) {
    keys.refuse("attention scaled alike in all layers", "\"scale_attn_by_inverse_layer_idx\": true");
  }
}

std::string activation_key_value(const ModelConfig& config) {
  switch (config.activation) {
    case Activation::kGeluExact:
      return "gelu";
    case Activation::kGeluTanh:
      return config.architecture == Architecture::kGpt1 ? "gelu" : "gelu_new";
    case Activation::kRelu:
      return "relu";
    case Activation::kSilu:
      return "silu";
  }
  throw InternalError("an activation without a name");
}

void set_bert(const ModelConfig& config, nlohmann::ordered_json& document) {
  document["model_type"] = "bert";
  document["num_hidden_layers"] = config.layers;
  document["hidden_size"] = config.hidden;
  document["num_attention_heads"] = config.heads;
  document["intermediate_size"] = config.inner;
  document["vocab_size"] = config.vocabulary;
  document["max_position_embeddings"] = config.positions;
  document["type_vocab_size"] = config.token_types;
  document["layer_norm_eps"] = config.layer_norm_epsilon;
  document["hidden_act"] = activation_key_value(config);
  document["hidden_dropout_prob"] = config.dropout.residual;
  document["attention_probs_dropout_prob"] = config.dropout.attention;
  if (config.dropout.classifier != config.dropout.residual || document.contains("classifier_dropout")) {
    document["classifier_dropout"] = config.dropout.classifier;
  }
}

void set_gpt(const ModelConfig& config, nlohmann::ordered_json& document) {
  const bool first = config.architecture == Architecture::kGpt1;
  document["model_type"] = first ? "openai-gpt" : "gpt2";
  document["n_layer"] = config.layers;
  document["n_embd"] = config.hidden;
  document["n_head"] = config.heads;
  if (config.inner != 4 * config.hidden) document["n_inner"] = config.inner;
  document["vocab_size"] = config.vocabulary;
  document["n_positions"] = config.positions;
  document["layer_norm_epsilon"] = config.layer_norm_epsilon;
  document[first ? "afn" : "activation_function"] = activation_key_value(config);
  document["embd_pdrop"] = config.dropout.embedding;
  document["resid_pdrop"] = config.dropout.residual;
  document["attn_pdrop"] = config.dropout.attention;
  document["summary_first_dropout"] = config.dropout.classifier;
}

}  // namespace

std::string_view name_of(Architecture architecture) {
  switch (architecture) {
    case Architecture::kBert:
      return "BERT";
    case Architecture::kGpt1:
      return "GPT-1";
    case Architecture::kGpt2:
      return "GPT-2";
  }
  throw InternalError("an architecture without a name");
}

std::string_view name_of(Activation activation) {
  switch (activation) {
    case Activation::kGeluExact:
      return "gelu";
    case Activation::kGeluTanh:
      return "gelu (tanh)";
    case Activation::kRelu:
      return "relu";
    case Activation::kSilu:
      return "silu";
  }
  throw InternalError("an activation without a name");
}

ModelConfig parse_config(std::string_view text, const std::string& name) {
  const json document = json::parse(text, nullptr, false);
  const Keys keys(document, name);
  if (!document.is_object()) keys.refuse("a JSON object", in_quotes(text));
  ModelConfig config;
  config.architecture = architecture_of(keys);
  if (config.architecture == Architecture::kBert) {
    read_bert(keys, config);
  } else {
    read_gpt(keys, config);
  }
  config.initializer_range = keys.number_or("initializer_range", 0.02, 0, 1000);
  config.tied = keys.flag_or("tie_word_embeddings", true);
  if (config.hidden % config.heads != 0) {
    keys.refuse(fmt::format("a width that {} heads divide", config.heads), fmt::format("{}", config.hidden));
  }
  if (config.layers > kMostLayers) {
    keys.refuse(fmt::format("at most {} layers", kMostLayers), fmt::format("{}", config.layers));
  }
  config.classes = keys.texts("architectures");
  config.original = text;
  return config;
}

ModelConfig read_config(const std::filesystem::path& path) {
  const MappedFile file(path);
  return parse_config(file.bytes(), path.string());
}

std::string to_config_json(const ModelConfig& config, ElementType precision) {
  auto document = nlohmann::ordered_json::parse(config.original, nullptr, false);
  if (!document.is_object()) document = nlohmann::ordered_json::object();
  document["architectures"] = config.classes;
  if (config.architecture == Architecture::kBert) {
    set_bert(config, document);
  } else {
    set_gpt(config, document);
  }
  document["initializer_range"] = config.initializer_range;
  document["tie_word_embeddings"] = config.tied;
  // Newer versions of transformers call it "dtype"; all read the older name.
  document[document.contains("dtype") ? "dtype" : "torch_dtype"] = name_of(precision);
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace gumption
