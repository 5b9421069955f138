#pragma once

// The parameters that an architecture has, under their canonical names.

#include <cstdint>
#include <string>
#include <vector>

#include "gumption/weights/model_config.h"

namespace gumption {

enum class Part { kEmbeddings, kLayers, kPooler, kMaskedLm, kNextSentence, kMultipleChoice, kLanguageModel };
std::string_view name_of(Part part);

struct Parameter {
  std::string name;
  std::vector<std::int64_t> shape;
  Part part = Part::kEmbeddings;
};

/// Every parameter of the backbone and of all heads, tied matrices under the embedding's name. The output matrix of its
/// own (lm_head.weight, cls.predictions.decoder.weight) is in it only where `config.tied` is false.
std::vector<Parameter> parameters_of(const ModelConfig& config);

/// Where an output matrix is stored that may be the token embedding over again, and that embedding.
struct TiedNames {
  std::string embedding;
  std::string output;
};
TiedNames tied_names_of(Architecture architecture);

/// The parts that a class of `transformers` has beyond the backbone; empty for a class that isn't known.
std::vector<Part> heads_of_class(const std::string& name);

}  // namespace gumption
