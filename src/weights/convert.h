#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "gumption/weights/checkpoint.h"

namespace gumption {

struct ConvertOptions {
  std::optional<ElementType> precision;  // of the new weights; empty: as they are
  std::string source;                    // JSON text for gumption.json's "source"; empty: the folder and its format
};

/// Writes what open_checkpoint() read as a Hugging Face folder, with its tokenizer's files and a gumption.json that
/// says where it came from. Left-over tensors are not written. UserError where `out` is there already or part of the
/// backbone is missing.
void convert_checkpoint(const Checkpoint& checkpoint, const std::filesystem::path& out, const ConvertOptions& options);

/// How a folder's tokenizer fits its model.
struct TokenizerFit {
  bool found = false;
  std::string kind;         // "wordpiece", …
  std::size_t entries = 0;  // rows that it asks for
  bool fits = false;        // no id lies beyond the model's vocabulary
  std::string problem;      // why a tokenizer that is there can't be read, or doesn't fit
};

/// Looks for the tokenizer in the checkpoint's folder, or in a SavedModel's assets. A model may have more rows than the
/// tokenizer has entries: those for tokens added in training.
TokenizerFit check_tokenizer(const Checkpoint& checkpoint);

}  // namespace gumption
