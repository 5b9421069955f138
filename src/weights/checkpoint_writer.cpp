#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "gumption/base/atomic_folder.h"
#include "gumption/base/error.h"
#include "gumption/base/files.h"
#include "gumption/weights/checkpoint.h"
#include "gumption/weights/safetensors.h"

namespace gumption {

namespace fs = std::filesystem;

namespace {

/// The class of `transformers` that has all the heads of these tensors, or as many as one class has.
std::string class_for(const ModelConfig& config, std::span<const StoredTensor> tensors) {
  const auto has = [&](std::string_view name) {
    return std::any_of(tensors.begin(), tensors.end(), [&](const StoredTensor& tensor) { return tensor.name == name; });
  };
  if (config.architecture != Architecture::kBert) {
    const std::string family = config.architecture == Architecture::kGpt1 ? "OpenAIGPT" : "GPT2";
    return family + (has("multiple_choice_head.summary.weight") ? "DoubleHeadsModel" : "LMHeadModel");
  }
  if (has("classifier.weight")) return "BertForMultipleChoice";
  const bool masked = has("cls.predictions.bias");
  const bool next = has("cls.seq_relationship.weight");
  if (masked && next) return "BertForPreTraining";
  if (masked) return "BertForMaskedLM";
  return next ? "BertForNextSentencePrediction" : "BertModel";
}

ElementType precision_of(const CheckpointToWrite& checkpoint) {
  if (checkpoint.precision) return *checkpoint.precision;
  std::map<ElementType, std::size_t> bytes;
  for (const StoredTensor& tensor : checkpoint.tensors) bytes[tensor.type] += tensor.bytes.size();
  const auto most =
      std::max_element(bytes.begin(), bytes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == bytes.end() ? ElementType::kFloat32 : most->first;
}

void copy_into(const fs::path& from, const fs::path& to) {
  const MappedFile file(from);
  write_file(to, file.bytes());
}

}  // namespace

std::vector<FileToCopy> find_tokenizer_files(const fs::path& folder) {
  struct Known {
    const char* from;
    const char* name;
  };
  // The earlier of two sources for one name wins.
  constexpr Known kKnown[] = {{"tokenizer.json", "tokenizer.json"},
                              {"tokenizer_config.json", "tokenizer_config.json"},
                              {"special_tokens_map.json", "special_tokens_map.json"},
                              {"added_tokens.json", "added_tokens.json"},
                              {"vocab.txt", "vocab.txt"},
                              {"assets/vocab.txt", "vocab.txt"},
                              {"vocab.json", "vocab.json"},
                              {"encoder_bpe_40000.json", "vocab.json"},
                              {"encoder.json", "vocab.json"},
                              {"merges.txt", "merges.txt"},
                              {"vocab_40000.bpe", "merges.txt"},
                              {"vocab.bpe", "merges.txt"},
                              {"generation_config.json", "generation_config.json"}};
  std::vector<FileToCopy> files;
  for (const Known& known : kKnown) {
    std::error_code ignored;
    const bool taken =
        std::any_of(files.begin(), files.end(), [&](const FileToCopy& file) { return file.name == known.name; });
    if (!taken && fs::is_regular_file(folder / known.from, ignored)) files.push_back({folder / known.from, known.name});
  }
  return files;
}

namespace {

void write_files(const fs::path& folder, const CheckpointToWrite& checkpoint) {
  ModelConfig config = checkpoint.config;
  if (config.classes.empty()) config.classes = {class_for(config, checkpoint.tensors)};
  write_file(folder / "config.json", to_config_json(config, precision_of(checkpoint)));
  write_safetensors(folder / "model.safetensors", checkpoint.tensors, checkpoint.precision);
  for (const FileToCopy& file : checkpoint.files) {
    ensure(fs::path(file.name).filename() == file.name, "files of a checkpoint lie in its folder");
    if (file.from.empty()) {
      write_file(folder / file.name, file.text);
    } else {
      copy_into(file.from, folder / file.name);
    }
  }
  if (!checkpoint.record.empty()) write_file(folder / "gumption.json", checkpoint.record);
}

}  // namespace

void write_checkpoint(const fs::path& folder, const CheckpointToWrite& checkpoint) {
  AtomicFolder target(folder);
  write_files(target.filling(), checkpoint);
  target.commit();
}

void replace_checkpoint(const fs::path& folder, const CheckpointToWrite& checkpoint) {
  write_files(folder, checkpoint);
}

}  // namespace gumption
