#pragma once

// A model's folder, whatever wrote it, under one set of names: those of Hugging Face's state dicts.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gumption/weights/model_config.h"
#include "gumption/weights/tensor_store.h"

namespace gumption {

/// The parts beyond the backbone that a checkpoint has, whole.
struct HeadsFound {
  bool pooler = false;           // BERT: bert.pooler.dense
  bool multiple_choice = false;  // BERT: classifier (one output); GPT: multiple_choice_head.summary
  bool next_sentence = false;    // BERT: cls.seq_relationship
  bool masked_lm = false;        // BERT: cls.predictions
  bool language_model = false;   // GPT: the output matrix, tied to the token embedding or lm_head
};

struct Checkpoint {
  std::filesystem::path folder;
  std::filesystem::path weights;  // the file (or prefix) that the tensors came from, for messages
  std::string format;             // "safetensors", "pytorch", "tensorflow" or "openai-npy"
  ModelConfig config;

  /// What the model takes, under Hugging Face's names for its full classes ("bert.embeddings.word_embeddings.weight",
  /// "transformer.wte.weight", "transformer.tokens_embed.weight", "classifier.weight", …), with the shapes that
  /// `config` asks for, in the element types of the files. A tied matrix stands under the embedding's name only;
  /// "lm_head.weight" or "cls.predictions.decoder.weight" is there only where it is a matrix of its own.
  std::shared_ptr<const TensorStore> tensors;

  HeadsFound heads;

  /// Of the backbone, or of a head that is partly there or that the config's class has.
  std::vector<std::string> missing;
  bool backbone_complete = false;

  /// Stored, but no part of the model takes it. Masks, position ids and optimiser states are left out silently.
  std::vector<std::string> left_over;

  /// What else a person should know, one sentence each.
  std::vector<std::string> notes;
};

/// Opens a folder in any form that is read. Nothing is copied but what has to be (TensorFlow's transposed kernels).
/// UserError for a folder without a model, for damaged files, and where the config disagrees with the tensors' shapes.
/// Missing and left-over tensors are listed, not refused.
Checkpoint open_checkpoint(const std::filesystem::path& folder);

/// UserError, naming what is missing, unless the backbone is all there.
void require_backbone(const Checkpoint& checkpoint);

/// A part of a model and its number of parameters.
struct PartSize {
  std::string part;  // "embeddings", "layers", "pooler", "masked-lm head", …
  std::int64_t parameters = 0;
};

/// In the model's order; parts that the checkpoint doesn't have are left out.
std::vector<PartSize> count_parameters(const Checkpoint& checkpoint);

/// The element type of most parameters.
ElementType precision_of(const Checkpoint& checkpoint);

/// A file to take along and its name in the new folder.
struct FileToCopy {
  std::filesystem::path from;
  std::string name;
  std::string text = {};  // what to write, where `from` is empty
};

/// The files of a folder's tokenizer, under the names that `transformers` looks for: TensorFlow's assets/vocab.txt
/// becomes vocab.txt, OpenAI's encoder_bpe_40000.json and vocab_40000.bpe become vocab.json and merges.txt.
std::vector<FileToCopy> find_tokenizer_files(const std::filesystem::path& folder);

struct CheckpointToWrite {
  ModelConfig config;                     // where `classes` is empty, the class that has the tensors' heads is written
  std::span<const StoredTensor> tensors;  // under the canonical names
  std::optional<ElementType> precision;   // of the floating-point tensors in the file; empty: as they are
  std::vector<FileToCopy> files;
  std::string record;  // gumption.json's text, or empty for none
};

/// Writes a Hugging Face folder (config.json, model.safetensors and the files) that appears whole or not at all.
/// UserError where `folder` is there already or the disk is full.
void write_checkpoint(const std::filesystem::path& folder, const CheckpointToWrite& checkpoint);

/// The same into a folder that is there, over a checkpoint of the same model: each file has either its old bytes or all
/// of the new ones.
void replace_checkpoint(const std::filesystem::path& folder, const CheckpointToWrite& checkpoint);

}  // namespace gumption
