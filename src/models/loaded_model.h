#pragma once

// What the model systems share: a checkpoint, its tokenizer and where it runs.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ATen/ATen.h>

#include "gumption/nn/engine.h"
#include "gumption/systems/model_systems.h"
#include "gumption/text/tokenizer.h"
#include "gumption/weights/checkpoint.h"

namespace gumption {

struct OpenedModel {
  Checkpoint checkpoint;
  std::unique_ptr<Tokenizer> tokenizer;
  at::TensorOptions options;
  std::int64_t max_length = 0;
  std::int64_t batch_tokens = 0;
};

/// Opens the checkpoint and tokenizer that the options name and starts the engine. UserError where something is missing
/// or does not fit together; `wanted` are the architectures that the system can use. With `random_seed` only the
/// checkpoint's config is read, and its weights are drawn.
OpenedModel open_model(const ModelOptions& options, std::initializer_list<Architecture> wanted,
                       std::optional<std::uint64_t> random_seed = std::nullopt);

/// UserError, saying what to take instead, unless `present`.
void require_head(const OpenedModel& model, bool present, std::string_view head, std::string_view advice);

/// The ids that BERT's input is built with.
struct BertTokens {
  TokenId cls = 0;
  TokenId sep = 0;
  TokenId mask = 0;
  TokenId unused0 = 0;
};
/// UserError where the tokenizer lacks one.
BertTokens bert_tokens(const Tokenizer& tokenizer, const std::string& model);

/// Encodes one text after another for one thread.
class TextEncoder {
 public:
  explicit TextEncoder(const Tokenizer& tokenizer) : tokenizer_(tokenizer), scratch_(tokenizer) {}
  std::vector<TokenId> operator()(std::string_view text);

 private:
  const Tokenizer& tokenizer_;
  EncodeScratch scratch_;
};

/// Context and question joined by one space; an empty one adds none.
std::string joined_prefix(const Question& question);

/// What stands in the question's place for a trained template: the question itself, or COPA's two in words.
std::string asked_question(const Question& question);

}  // namespace gumption
