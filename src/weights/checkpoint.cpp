#include "gumption/weights/checkpoint.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gumption/base/error.h"
#include "gumption/text/unicode.h"
#include "gumption/weights/canonical_names.h"
#include "gumption/weights/derived_config.h"
#include "gumption/weights/parameters.h"
#include "gumption/weights/tensorflow_index.h"
#include "gumption/weights/transpose.h"

namespace gumption {

namespace fs = std::filesystem;

namespace {

struct WeightsFound {
  std::string format;
  fs::path path;
  std::shared_ptr<const TensorStore> (*open)(const fs::path&);
};

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

WeightsFound find_weights(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) {
    const bool there = fs::exists(folder, ignored);
    throw UserError(Complaint{folder.string(), 0, "a model's folder", there ? "a file" : "nothing",
                              there ? "Name the folder that it lies in" : ""});
  }
  const std::array<WeightsFound, 4> candidates = {
      WeightsFound{"safetensors", folder / "model.safetensors", open_safetensors},
      WeightsFound{"safetensors", folder / "model.safetensors.index.json", open_sharded_safetensors},
      WeightsFound{"pytorch", folder / "pytorch_model.bin", open_pytorch_bin},
      WeightsFound{"pytorch", folder / "pytorch_model.bin.index.json", open_sharded_pytorch_bin}};
  for (const WeightsFound& candidate : candidates) {
    if (is_file(candidate.path)) return candidate;
  }
  if (is_file(folder / "params_shapes.json")) return {"openai-npy", folder, open_gpt1_npy};
  if (!find_bundles(folder).empty()) return {"tensorflow", folder, open_tensorflow};
  throw UserError(Complaint{folder.string(), 0,
                            "a model: model.safetensors, pytorch_model.bin, a TensorFlow checkpoint (*.index, or "
                            "variables/ of a SavedModel) or OpenAI's params_shapes.json",
                            is_file(folder / "config.json") ? "config.json without weights" : "none of them", ""});
}

/// What stands beside the weights, or an empty path.
fs::path find_config(const fs::path& folder) {
  for (const char* name : {"config.json", "bert_config.json", "hparams.json"}) {
    if (is_file(folder / name)) return folder / name;
  }
  return {};
}

/// Which model a file without a config is, by its names.
Architecture guess_architecture(const TensorStore& store, const WeightsFound& weights) {
  if (weights.format == "openai-npy") return Architecture::kGpt1;
  for (const StoredTensor& tensor : store.tensors()) {
    if (tensor.name.find("bert/") != std::string::npos) return Architecture::kBert;
    if (tensor.name.starts_with("model/wte")) return Architecture::kGpt2;
  }
  throw UserError(Complaint{weights.path.string(), 0, "variables of a BERT (bert/…) or GPT-2 (model/wte, …)",
                            store.tensors().empty() ? "none at all" : in_quotes(store.tensors().front().name),
                            "Checkpoints of TensorFlow 2's object form aren't read"});
}

/// Tensors under canonical names, and who keeps their bytes.
class CanonicalTensors {
 public:
  CanonicalTensors(std::shared_ptr<const TensorStore> store, Architecture architecture, const WeightsFound& weights)
      : weights_(weights) {
    for (const StoredTensor& stored : store->tensors()) {
      if (find_invalid_utf8(stored.name)) {
        throw UserError(Complaint{weights.path.string(), 0, "names in UTF-8", in_quotes(stored.name), ""});
      }
      const CanonicalName name = weights.format == "tensorflow" ? canonical_from_tensorflow(stored.name, architecture)
                                                                : canonical_from_pytorch(stored.name, architecture);
      if (!name.name.empty()) add(stored, name);
    }
    owners_.push_back(std::move(store));
    for (auto& buffer : buffers_) owners_.push_back(std::move(buffer));
  }

  std::map<std::string, StoredTensor>& tensors() { return tensors_; }
  std::vector<std::shared_ptr<const void>> take_owners() { return std::move(owners_); }

 private:
  void add(const StoredTensor& stored, const CanonicalName& name) {
    StoredTensor tensor = stored;
    tensor.name = name.name;
    if (weights_.format == "tensorflow" && tensor.shape.size() == 3 && tensor.shape.front() == 1) {
      tensor.shape.erase(tensor.shape.begin());  // OpenAI's one-wide convolutions
    }
    if (name.transpose && tensor.shape.size() == 2) {
      auto buffer = std::make_shared<std::string>(transposed(tensor));
      tensor.bytes = *buffer;
      std::swap(tensor.shape[0], tensor.shape[1]);
      buffers_.push_back(std::move(buffer));
    }
    const auto [place, is_new] = tensors_.emplace(tensor.name, tensor);
    if (is_new || place->second.bytes == tensor.bytes) {
      sources_.emplace(tensor.name, stored.name);
      return;
    }
    throw UserError(Complaint{
        weights_.path.string(), 0, fmt::format("one tensor for {}", tensor.name),
        fmt::format("{} and {}, which differ", in_quotes(sources_[tensor.name]), in_quotes(stored.name)), ""});
  }

  const WeightsFound& weights_;
  std::map<std::string, StoredTensor> tensors_;
  std::map<std::string, std::string> sources_;  // canonical → stored name
  std::vector<std::shared_ptr<const std::string>> buffers_;
  std::vector<std::shared_ptr<const void>> owners_;
};

/// Leaves a tied matrix under the embedding's name only.
void resolve_tie(const ModelConfig& config, std::map<std::string, StoredTensor>& tensors, Checkpoint& checkpoint) {
  const TiedNames names = tied_names_of(config.architecture);
  const auto output = tensors.find(names.output);
  if (output == tensors.end() || !config.tied) return;
  const auto embedding = tensors.find(names.embedding);
  if (embedding == tensors.end()) {
    StoredTensor tensor = std::move(output->second);
    tensors.erase(output);
    tensor.name = names.embedding;
    tensors.emplace(names.embedding, std::move(tensor));
    return;
  }
  const StoredTensor& a = output->second;
  const StoredTensor& b = embedding->second;
  if (a.shape != b.shape || a.type != b.type || a.bytes != b.bytes) {
    checkpoint.notes.push_back(
        fmt::format("{} differs from {}, to which the config ties it; it is left out, as transformers does. Say "
                    "\"tie_word_embeddings\": false in config.json to use it.",
                    names.output, names.embedding));
    checkpoint.left_over.push_back(names.output);
  }
  tensors.erase(output);
}

/// A head for several classes at once shares its name with the multiple-choice head, but isn't one.
void set_aside_other_classifier(const ModelConfig& config, std::map<std::string, StoredTensor>& tensors,
                                Checkpoint& checkpoint) {
  const std::string head = config.architecture == Architecture::kBert ? "classifier" : "multiple_choice_head.summary";
  const auto weight = tensors.find(head + ".weight");
  if (weight == tensors.end() || weight->second.shape == std::vector<std::int64_t>{1, config.hidden}) return;
  checkpoint.notes.push_back(
      fmt::format("{}.weight has the shape {}: a classifier of another kind, not a "
                  "multiple-choice head.",
                  head, to_text(weight->second.shape)));
  for (const char* end : {".weight", ".bias"}) {
    if (tensors.erase(head + end) > 0) checkpoint.left_over.push_back(head + end);
  }
}

/// Takes what the model has, and says what is missing or of another shape.
class Matcher {
 public:
  Matcher(std::map<std::string, StoredTensor>& tensors, Checkpoint& checkpoint)
      : tensors_(tensors), checkpoint_(checkpoint), parameters_(parameters_of(checkpoint.config)) {}

  std::vector<StoredTensor> take() {
    std::vector<StoredTensor> taken;
    for (const Parameter& parameter : parameters_) {
      const auto found = tensors_.find(parameter.name);
      if (found == tensors_.end()) {
        absent_[parameter.part].push_back(parameter.name);
        continue;
      }
      check(parameter, found->second);
      ++present_[parameter.part];
      taken.push_back(std::move(found->second));
      tensors_.erase(found);
    }
    if (!mismatches_.empty()) complain();
    for (const auto& [name, tensor] : tensors_) checkpoint_.left_over.push_back(name);
    std::sort(checkpoint_.left_over.begin(), checkpoint_.left_over.end());
    list_missing();
    name_heads();
    return taken;
  }

 private:
  void check(const Parameter& parameter, const StoredTensor& tensor) {
    if (tensor.shape != parameter.shape) {
      mismatches_.push_back(
          fmt::format("{} should be {} and is {}", parameter.name, to_text(parameter.shape), to_text(tensor.shape)));
    } else if (!is_floating(tensor.type)) {
      mismatches_.push_back(fmt::format("{} should be floating-point and is {}", parameter.name, name_of(tensor.type)));
    }
  }

  [[noreturn]] void complain() const {
    constexpr std::size_t kShown = 8;
    const std::vector<std::string> shown(
        mismatches_.begin(), mismatches_.begin() + static_cast<std::ptrdiff_t>(std::min(kShown, mismatches_.size())));
    throw UserError(
        fmt::format("{}: the tensors disagree with the config: {}{}. Put the config.json that belongs to "
                    "these weights beside them.",
                    checkpoint_.weights.string(), fmt::join(shown, "; "),
                    mismatches_.size() > kShown ? fmt::format("; and {} more", mismatches_.size() - kShown) : ""));
  }

  bool whole(Part part) const { return present_.contains(part) && !absent_.contains(part); }

  void list_missing() {
    std::vector<Part> wanted = {Part::kEmbeddings, Part::kLayers};
    for (const std::string& name : checkpoint_.config.classes) {
      for (const Part part : heads_of_class(name)) wanted.push_back(part);
    }
    for (const auto& [part, names] : absent_) {
      if (present_.contains(part) || std::find(wanted.begin(), wanted.end(), part) != wanted.end()) {
        checkpoint_.missing.insert(checkpoint_.missing.end(), names.begin(), names.end());
      }
    }
    checkpoint_.backbone_complete = whole(Part::kEmbeddings) && whole(Part::kLayers);
  }

  void name_heads() {
    HeadsFound& heads = checkpoint_.heads;
    heads.pooler = whole(Part::kPooler);
    heads.multiple_choice = whole(Part::kMultipleChoice);
    heads.next_sentence = whole(Part::kNextSentence);
    heads.masked_lm = whole(Part::kMaskedLm);
    heads.language_model = checkpoint_.config.architecture != Architecture::kBert &&
                           (checkpoint_.config.tied ? whole(Part::kEmbeddings) : whole(Part::kLanguageModel));
  }

  std::map<std::string, StoredTensor>& tensors_;
  Checkpoint& checkpoint_;
  std::vector<Parameter> parameters_;
  std::map<Part, std::vector<std::string>> absent_;
  std::map<Part, std::size_t> present_;
  std::vector<std::string> mismatches_;
};

}  // namespace

Checkpoint open_checkpoint(const fs::path& folder) {
  const WeightsFound weights = find_weights(folder);
  const fs::path config_path = find_config(folder);
  const bool derivable = weights.format == "tensorflow" || weights.format == "openai-npy";
  if (config_path.empty() && !derivable) {
    throw UserError(Complaint{folder.string(), 0, "config.json beside the weights", "none",
                              "It says how many heads the model has, which the tensors don't show"});
  }

  Checkpoint checkpoint;
  checkpoint.folder = folder;
  checkpoint.weights = weights.path;
  checkpoint.format = weights.format;
  if (!config_path.empty()) checkpoint.config = read_config(config_path);
  auto store = weights.open(weights.path);
  const Architecture architecture =
      config_path.empty() ? guess_architecture(*store, weights) : checkpoint.config.architecture;
  CanonicalTensors canonical(std::move(store), architecture, weights);
  auto& tensors = canonical.tensors();
  if (config_path.empty()) {
    checkpoint.config = derive_config(architecture, tensors, weights.path.string());
    checkpoint.notes.push_back(
        fmt::format("There is no config.json: the shape is taken from the tensors, with {} heads (one for each 64 of "
                    "the width, as in all published models of this kind).",
                    checkpoint.config.heads));
  }
  resolve_tie(checkpoint.config, tensors, checkpoint);
  set_aside_other_classifier(checkpoint.config, tensors, checkpoint);
  auto taken = Matcher(tensors, checkpoint).take();
  checkpoint.tensors = std::make_shared<TensorStore>(std::move(taken), canonical.take_owners());
  return checkpoint;
}

void require_backbone(const Checkpoint& checkpoint) {
  if (checkpoint.backbone_complete) return;
  throw UserError(
      Complaint{checkpoint.weights.string(), 0, fmt::format("all of a {}", name_of(checkpoint.config.architecture)),
                fmt::format("{} tensors missing, {} first", checkpoint.missing.size(), checkpoint.missing.front()),
                fmt::format("`gumption model info {}` lists them", checkpoint.folder.string())});
}

std::vector<PartSize> count_parameters(const Checkpoint& checkpoint) {
  std::map<Part, std::int64_t> sizes;
  for (const Parameter& parameter : parameters_of(checkpoint.config)) {
    const StoredTensor* tensor = checkpoint.tensors->find(parameter.name);
    if (tensor != nullptr) sizes[parameter.part] += element_count(*tensor);
  }
  std::vector<PartSize> parts;
  for (const auto& [part, size] : sizes) parts.push_back({std::string(name_of(part)), size});
  return parts;
}

ElementType precision_of(const Checkpoint& checkpoint) {
  std::map<ElementType, std::int64_t> counts;
  for (const StoredTensor& tensor : checkpoint.tensors->tensors()) counts[tensor.type] += element_count(tensor);
  ElementType most = ElementType::kFloat32;
  for (const auto& [type, count] : counts) {
    if (count > counts[most]) most = type;
  }
  return most;
}

}  // namespace gumption
