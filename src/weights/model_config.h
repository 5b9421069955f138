#pragma once

// What a model's config.json says about its shape.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "gumption/weights/tensor_store.h"

namespace gumption {

enum class Architecture { kBert, kGpt1, kGpt2 };

/// "BERT", "GPT-1", "GPT-2".
std::string_view name_of(Architecture architecture);

enum class Activation {
  kGeluExact,  // x Φ(x): BERT
  kGeluTanh,   // the tanh approximation: GPT-1 (whose configs call it "gelu") and GPT-2 ("gelu_new")
  kRelu,
  kSilu,
};
std::string_view name_of(Activation activation);

struct DropoutRates {
  double embedding = 0.1;
  double residual = 0.1;  // BERT's hidden_dropout_prob: after each sub-layer
  double attention = 0.1;
  double classifier = 0.1;  // before the classification head
};

struct ModelConfig {
  Architecture architecture = Architecture::kBert;
  std::int64_t layers = 0;
  std::int64_t hidden = 0;
  std::int64_t heads = 0;
  std::int64_t inner = 0;  // width of the feed-forward part
  std::int64_t vocabulary = 0;
  std::int64_t positions = 0;
  std::int64_t token_types = 0;  // BERT only
  double layer_norm_epsilon = 1e-5;
  double initializer_range = 0.02;
  Activation activation = Activation::kGeluExact;
  DropoutRates dropout;
  bool tied = true;  // the output matrix is the token embedding

  std::vector<std::string> classes;  // "architectures" of config.json: the classes that wrote it
  std::string original;              // the JSON text it was read from, or empty; written again with its other keys
};

/// Reads a config.json of Hugging Face, Google's bert_config.json or OpenAI's hparams.json. UserError for other
/// architectures, for variants that change the arithmetic and that we don't have, and for numbers that make no sense.
ModelConfig read_config(const std::filesystem::path& path);

/// The same from text; `name` is for messages.
ModelConfig parse_config(std::string_view json, const std::string& name);

/// A config.json that `transformers` reads: `config` over what stood in `config.original`, with `config.classes`.
std::string to_config_json(const ModelConfig& config, ElementType precision);

}  // namespace gumption
