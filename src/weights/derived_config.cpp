#include "gumption/weights/derived_config.h"

#include <fmt/format.h>

#include "gumption/base/error.h"

namespace gumption {

namespace {

constexpr std::int64_t kHeadWidth = 64;

class Shapes {
 public:
  Shapes(const std::map<std::string, StoredTensor>& tensors, const std::string& name)
      : tensors_(tensors), name_(name) {}

  std::int64_t extent(const std::string& tensor, std::size_t dimension) const {
    const auto found = tensors_.find(tensor);
    if (found == tensors_.end() || found->second.shape.size() != 2) {
      throw UserError(Complaint{name_, 0, fmt::format("the matrix {}", tensor),
                                found == tensors_.end() ? "no such tensor" : to_text(found->second.shape),
                                "Without it and without a config.json the model's shape isn't known"});
    }
    return found->second.shape[dimension];
  }

  /// How many of `pattern` with 0, 1, 2, … in its place are there.
  std::int64_t layers(const char* pattern) const {
    std::int64_t count = 0;
    while (tensors_.contains(fmt::format(fmt::runtime(pattern), count))) ++count;
    return count;
  }

 private:
  const std::map<std::string, StoredTensor>& tensors_;
  const std::string& name_;
};

void derive_bert(const Shapes& shapes, ModelConfig& config) {
  config.vocabulary = shapes.extent("bert.embeddings.word_embeddings.weight", 0);
  config.hidden = shapes.extent("bert.embeddings.word_embeddings.weight", 1);
  config.positions = shapes.extent("bert.embeddings.position_embeddings.weight", 0);
  config.token_types = shapes.extent("bert.embeddings.token_type_embeddings.weight", 0);
  config.inner = shapes.extent("bert.encoder.layer.0.intermediate.dense.weight", 0);
  config.layers = shapes.layers("bert.encoder.layer.{}.intermediate.dense.weight");
  config.layer_norm_epsilon = 1e-12;
  config.activation = Activation::kGeluExact;
}

void derive_gpt(const Shapes& shapes, ModelConfig& config) {
  const bool first = config.architecture == Architecture::kGpt1;
  const char* tokens = first ? "transformer.tokens_embed.weight" : "transformer.wte.weight";
  config.vocabulary = shapes.extent(tokens, 0);
  config.hidden = shapes.extent(tokens, 1);
  config.positions = shapes.extent(first ? "transformer.positions_embed.weight" : "transformer.wpe.weight", 0);
  config.inner = shapes.extent("transformer.h.0.mlp.c_fc.weight", 1);
  config.layers = shapes.layers("transformer.h.{}.mlp.c_fc.weight");
  config.layer_norm_epsilon = 1e-5;
  config.activation = Activation::kGeluTanh;
}

}  // namespace

ModelConfig derive_config(Architecture architecture, const std::map<std::string, StoredTensor>& tensors,
                          const std::string& name) {
  const Shapes shapes(tensors, name);
  ModelConfig config;
  config.architecture = architecture;
  if (architecture == Architecture::kBert) {
    derive_bert(shapes, config);
  } else {
    derive_gpt(shapes, config);
  }
  if (config.hidden % kHeadWidth != 0 || config.hidden == 0) {
    throw UserError(Complaint{name, 0, fmt::format("a width that is a multiple of {}, or a config.json", kHeadWidth),
                              fmt::format("{}", config.hidden), "The number of heads isn't known otherwise"});
  }
  config.heads = config.hidden / kHeadWidth;
  return config;
}

}  // namespace gumption
