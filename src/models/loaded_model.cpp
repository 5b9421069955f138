#include "gumption/models/loaded_model.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gumption/base/error.h"
#include "gumption/models/new_weights.h"
#include "gumption/text/tokenizer_files.h"
#include "gumption/weights/model_store.h"

namespace gumption {

namespace {

// Enough rows to keep the matrix kernels busy, few enough to stay in the caches.
constexpr std::int64_t kTokensOnCpu = 1024;
constexpr std::int64_t kTokensOnGpu = 16384;

void check_architecture(const Checkpoint& checkpoint, std::initializer_list<Architecture> wanted) {
  if (std::find(wanted.begin(), wanted.end(), checkpoint.config.architecture) != wanted.end()) return;
  std::vector<std::string_view> names;
  for (const Architecture architecture : wanted) names.push_back(name_of(architecture));
  throw UserError(Complaint{checkpoint.folder.string(), 0, fmt::format("a {}", fmt::join(names, " or ")),
                            fmt::format("a {}", name_of(checkpoint.config.architecture)),
                            "Take another --model, or another way to use it"});
}

void check_tokenizer(const OpenedModel& model, const std::string& tokenizer_folder) {
  const auto rows = static_cast<std::size_t>(model.checkpoint.config.vocabulary);
  const std::size_t ids = model.tokenizer->vocabulary().id_limit();
  // Embeddings are often filled up to a round number of rows, and GPT-1's special tokens have rows without names.
  constexpr std::size_t kMostUnused = 128;
  if (ids <= rows && rows - ids <= kMostUnused) return;
  throw UserError(Complaint{tokenizer_folder, 0, fmt::format("a tokenizer of {} tokens, as the model has", rows),
                            fmt::format("one of {}", ids), "Name the model's own with --tokenizer"});
}

}  // namespace

OpenedModel open_model(const ModelOptions& options, std::initializer_list<Architecture> wanted,
                       std::optional<std::uint64_t> random_seed) {
  if (options.model.empty()) throw UsageError("--model is required: a checkpoint's folder or a pulled name.");
  OpenedModel model;
  const auto folder = find_model(options.model);
  model.checkpoint = random_seed ? random_checkpoint(folder, *random_seed) : open_checkpoint(folder);
  check_architecture(model.checkpoint, wanted);
  if (!random_seed) require_backbone(model.checkpoint);
  const std::string tokenizer = options.tokenizer.empty() ? model.checkpoint.folder.string() : options.tokenizer;
  model.tokenizer = load_tokenizer(tokenizer);
  check_tokenizer(model, tokenizer);
  EngineOptions engine;
  engine.device = options.device == "cuda" ? Device::kCuda : Device::kCpu;
  engine.precision = options.precision == "bfloat16" ? Precision::kBfloat16 : Precision::kFloat32;
  engine.threads = options.threads;
  model.options = start_engine(engine);
  const std::int64_t positions = model.checkpoint.config.positions;
  model.max_length = options.max_length == 0
                         ? positions
                         : std::min<std::int64_t>(positions, static_cast<std::int64_t>(options.max_length));
  constexpr std::int64_t kShortest = 8;  // the special tokens and something between them
  if (model.max_length < kShortest) {
    throw UserError(fmt::format("max_length: expected at least {}, found {}.", kShortest, model.max_length));
  }
  model.batch_tokens = options.batch_tokens != 0        ? static_cast<std::int64_t>(options.batch_tokens)
                       : engine.device == Device::kCuda ? kTokensOnGpu
                                                        : kTokensOnCpu;
  return model;
}

void require_head(const OpenedModel& model, bool present, std::string_view head, std::string_view advice) {
  if (present) return;
  throw UserError(Complaint{model.checkpoint.folder.string(), 0, fmt::format("a checkpoint with a {} head", head),
                            "one without", std::string(advice)});
}

BertTokens bert_tokens(const Tokenizer& tokenizer, const std::string& model) {
  const auto id_of = [&](std::string_view token) {
    const auto id = tokenizer.vocabulary().id_of(token);
    if (!id) {
      throw UserError(Complaint{model, 0, fmt::format("a vocabulary with the token {}", token), "none",
                                "Name a BERT's tokenizer with --tokenizer"});
    }
    return *id;
  };
  // A vocabulary of our own making may have no [unused0]; only one template asks for it.
  const auto unused = tokenizer.vocabulary().id_of("[unused0]");
  return {id_of("[CLS]"), id_of("[SEP]"), id_of("[MASK]"), unused.value_or(-1)};
}

std::vector<TokenId> TextEncoder::operator()(std::string_view text) {
  std::vector<TokenId> ids;
  tokenizer_.encode(text, scratch_, ids);
  return ids;
}

std::string joined_prefix(const Question& question) {
  if (question.context.empty()) return question.question;
  if (question.question.empty()) return question.context;
  return question.context + " " + question.question;
}

std::string asked_question(const Question& question) {
  if (!question.notes.asks_for) return question.question;
  return *question.notes.asks_for == AsksFor::kCause ? "What was the cause of this?" : "What happened as a result?";
}

}  // namespace gumption
