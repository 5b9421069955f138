#include "gumption/weights/parameters.h"

#include <fmt/format.h>

#include "gumption/base/error.h"

namespace gumption {

namespace {

class ParameterList {
 public:
  void add(Part part, std::string name, std::vector<std::int64_t> shape) {
    list_.push_back({std::move(name), std::move(shape), part});
  }
  /// A weight of any shape and its bias.
  void add_pair(Part part, const std::string& name, std::vector<std::int64_t> shape, std::int64_t outputs) {
    add(part, name + ".weight", std::move(shape));
    add(part, name + ".bias", {outputs});
  }
  /// PyTorch's Linear: output × input.
  void add_linear(Part part, const std::string& name, std::int64_t inputs, std::int64_t outputs) {
    add_pair(part, name, {outputs, inputs}, outputs);
  }
  /// The GPTs' Conv1D: input × output.
  void add_conv(Part part, const std::string& name, std::int64_t inputs, std::int64_t outputs) {
    add_pair(part, name, {inputs, outputs}, outputs);
  }
  void add_norm(Part part, const std::string& name, std::int64_t width) { add_pair(part, name, {width}, width); }

  std::vector<Parameter> take() { return std::move(list_); }

 private:
  std::vector<Parameter> list_;
};

std::vector<Parameter> bert_parameters(const ModelConfig& config) {
  ParameterList list;
  const std::int64_t width = config.hidden;
  list.add(Part::kEmbeddings, "bert.embeddings.word_embeddings.weight", {config.vocabulary, width});
  list.add(Part::kEmbeddings, "bert.embeddings.position_embeddings.weight", {config.positions, width});
  list.add(Part::kEmbeddings, "bert.embeddings.token_type_embeddings.weight", {config.token_types, width});
  list.add_norm(Part::kEmbeddings, "bert.embeddings.LayerNorm", width);
  for (std::int64_t i = 0; i < config.layers; ++i) {
    const std::string layer = fmt::format("bert.encoder.layer.{}.", i);
    for (const char* role : {"query", "key", "value"}) {
      list.add_linear(Part::kLayers, layer + "attention.self." + role, width, width);
    }
    list.add_linear(Part::kLayers, layer + "attention.output.dense", width, width);
    list.add_norm(Part::kLayers, layer + "attention.output.LayerNorm", width);
    list.add_linear(Part::kLayers, layer + "intermediate.dense", width, config.inner);
    list.add_linear(Part::kLayers, layer + "output.dense", config.inner, width);
    list.add_norm(Part::kLayers, layer + "output.LayerNorm", width);
  }
  list.add_linear(Part::kPooler, "bert.pooler.dense", width, width);
  list.add_linear(Part::kMaskedLm, "cls.predictions.transform.dense", width, width);
  list.add_norm(Part::kMaskedLm, "cls.predictions.transform.LayerNorm", width);
  list.add(Part::kMaskedLm, "cls.predictions.bias", {config.vocabulary});
  if (!config.tied) list.add(Part::kMaskedLm, "cls.predictions.decoder.weight", {config.vocabulary, width});
  list.add_linear(Part::kNextSentence, "cls.seq_relationship", width, 2);
  list.add_linear(Part::kMultipleChoice, "classifier", width, 1);
  return list.take();
}

std::vector<Parameter> gpt_parameters(const ModelConfig& config) {
  const bool first = config.architecture == Architecture::kGpt1;
  ParameterList list;
  const std::int64_t width = config.hidden;
  list.add(Part::kEmbeddings, first ? "transformer.tokens_embed.weight" : "transformer.wte.weight",
           {config.vocabulary, width});
  list.add(Part::kEmbeddings, first ? "transformer.positions_embed.weight" : "transformer.wpe.weight",
           {config.positions, width});
  for (std::int64_t i = 0; i < config.layers; ++i) {
    const std::string layer = fmt::format("transformer.h.{}.", i);
    list.add_norm(Part::kLayers, layer + "ln_1", width);
    list.add_conv(Part::kLayers, layer + "attn.c_attn", width, 3 * width);
    list.add_conv(Part::kLayers, layer + "attn.c_proj", width, width);
    list.add_norm(Part::kLayers, layer + "ln_2", width);
    list.add_conv(Part::kLayers, layer + "mlp.c_fc", width, config.inner);
    list.add_conv(Part::kLayers, layer + "mlp.c_proj", config.inner, width);
  }
  if (!first) list.add_norm(Part::kLayers, "transformer.ln_f", width);
  if (!config.tied) list.add(Part::kLanguageModel, "lm_head.weight", {config.vocabulary, width});
  list.add_linear(Part::kMultipleChoice, "multiple_choice_head.summary", width, 1);
  return list.take();
}

}  // namespace

std::string_view name_of(Part part) {
  switch (part) {
    case Part::kEmbeddings:
      return "embeddings";
    case Part::kLayers:
      return "layers";
    case Part::kPooler:
      return "pooler";
    case Part::kMaskedLm:
      return "masked-lm head";
    case Part::kNextSentence:
      return "next-sentence head";
    case Part::kMultipleChoice:
      return "multiple-choice head";
    case Part::kLanguageModel:
      return "lm head";
  }
  throw InternalError("a part without a name");
}

std::vector<Parameter> parameters_of(const ModelConfig& config) {
  return config.architecture == Architecture::kBert ? bert_parameters(config) : gpt_parameters(config);
}

TiedNames tied_names_of(Architecture architecture) {
  switch (architecture) {
    case Architecture::kBert:
      return {"bert.embeddings.word_embeddings.weight", "cls.predictions.decoder.weight"};
    case Architecture::kGpt1:
      return {"transformer.tokens_embed.weight", "lm_head.weight"};
    case Architecture::kGpt2:
      return {"transformer.wte.weight", "lm_head.weight"};
  }
  throw InternalError("an architecture without an embedding");
}

std::vector<Part> heads_of_class(const std::string& name) {
  // BertModel's pooler is optional there too: a plain encoder may well have none.
  if (name == "BertForMultipleChoice") return {Part::kPooler, Part::kMultipleChoice};
  if (name == "BertForNextSentencePrediction") return {Part::kPooler, Part::kNextSentence};
  if (name == "BertForMaskedLM") return {Part::kMaskedLm};
  if (name == "BertForPreTraining") return {Part::kPooler, Part::kMaskedLm, Part::kNextSentence};
  if (name == "OpenAIGPTDoubleHeadsModel" || name == "GPT2DoubleHeadsModel") return {Part::kMultipleChoice};
  return {};
}

}  // namespace gumption
