#include "gumption/weights/convert.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gumption/base/build_info.h"
#include "gumption/base/error.h"
#include "gumption/base/files.h"
#include "gumption/base/options.h"
#include "gumption/text/tokenizer_files.h"

namespace gumption {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::ordered_json;

Json record_in(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::is_regular_file(folder / "gumption.json", ignored)) return nullptr;
  const MappedFile file(folder / "gumption.json");
  const Json record = Json::parse(file.bytes(), nullptr, false);
  return record.is_object() ? record : Json(nullptr);
}

std::string record_for(const Checkpoint& checkpoint, const ConvertOptions& options) {
  Json record = record_in(checkpoint.folder);
  if (!record.is_object()) record = Json::object();
  record["written_by"] = "gumption " + build_info().version;
  const Json source = Json::parse(options.source, nullptr, false);
  if (source.is_object()) {
    record["source"] = source;
  } else if (!record.contains("source")) {
    std::error_code ignored;
    record["source"] = {{"folder", fs::absolute(checkpoint.folder, ignored).lexically_normal().string()},
                        {"format", checkpoint.format}};
  }
  if (!checkpoint.left_over.empty()) record["left_over"] = checkpoint.left_over;
  return record.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// Whether a WordPiece vocabulary keeps capitals: an uncased one has them only in [CLS] and the like.
bool has_capitals(std::string_view vocabulary) {
  for (const std::string_view line : split_text(vocabulary, '\n')) {
    if (line.starts_with('[')) continue;
    if (std::any_of(line.begin(), line.end(), [](char c) { return c >= 'A' && c <= 'Z'; })) return true;
  }
  return false;
}

/// Google's releases say nowhere whether text is put in lower case, and loaders assume it.
void add_tokenizer_config(const Checkpoint& checkpoint, std::vector<FileToCopy>& files) {
  const FileToCopy* vocabulary = nullptr;
  for (const FileToCopy& file : files) {
    if (file.name == "tokenizer.json" || file.name == "tokenizer_config.json") return;
    if (file.name == "vocab.txt") vocabulary = &file;
  }
  if (vocabulary == nullptr) return;
  const Json config = {{"do_lower_case", !has_capitals(MappedFile(vocabulary->from).bytes())},
                       {"model_max_length", checkpoint.config.positions},
                       {"tokenizer_class", "BertTokenizer"}};
  files.push_back({{}, "tokenizer_config.json", config.dump(2) + "\n"});
}

}  // namespace

void convert_checkpoint(const Checkpoint& checkpoint, const fs::path& out, const ConvertOptions& options) {
  require_backbone(checkpoint);
  CheckpointToWrite target;
  target.config = checkpoint.config;
  target.tensors = checkpoint.tensors->tensors();
  target.precision = options.precision;
  target.files = find_tokenizer_files(checkpoint.folder);
  add_tokenizer_config(checkpoint, target.files);
  target.record = record_for(checkpoint, options);
  write_checkpoint(out, target);
}

TokenizerFit check_tokenizer(const Checkpoint& checkpoint) {
  TokenizerFit fit;
  const auto files = find_tokenizer_files(checkpoint.folder);
  const auto source = std::find_if(files.begin(), files.end(), [](const FileToCopy& file) {
    return file.name == "tokenizer.json" || file.name == "vocab.txt" || file.name == "vocab.json";
  });
  if (source == files.end()) return fit;
  fit.found = true;
  try {
    const auto tokenizer = load_tokenizer(source->from.parent_path());
    fit.kind = tokenizer->kind();
    fit.entries = tokenizer->vocabulary().id_limit();
    fit.fits = fit.entries <= static_cast<std::size_t>(checkpoint.config.vocabulary);
    if (!fit.fits) {
      fit.problem = fmt::format("the tokenizer has {} entries and the model only {} rows: they don't belong together",
                                fit.entries, checkpoint.config.vocabulary);
    }
  } catch (const UserError& error) {
    fit.problem = error.what();
  }
  return fit;
}

}  // namespace gumption
