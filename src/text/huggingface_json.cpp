// Hugging Face's tokenizer.json: a model and the steps around it. Only the steps of BERT's, GPT's and GPT-2's families
// are known; every other one is refused by its name rather than left out silently.

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "gumption/text/byte_bpe.h"
#include "gumption/text/tokenizer_files.h"
#include "gumption/text/tokenizer_json.hpp"
#include "gumption/text/wordpiece.h"

namespace gumption {

namespace {

const char* const kAdvice = "Only tokenizers of BERT's, GPT's and GPT-2's kinds are supported";

/// A step of the file by its type; the only member of a Sequence stands for it. An absent or null step has no type.
struct Step {
  std::string type;
  const Json* value = nullptr;
  std::string path;
};

Step step_of(const JsonObject& file, const std::string& key) {
  const Json* value = file.find(key);
  if (value == nullptr) return {"", nullptr, key};
  const JsonObject object(*value, file.file(), key);
  const std::string type = object.text("type", "");
  if (type != "Sequence") return {type, value, key};
  const char* const list_key = key == "normalizer"      ? "normalizers"
                               : key == "pre_tokenizer" ? "pretokenizers"
                                                        : "decoders";
  const Json& list = object.at(list_key);
  if (!list.is_array() || list.size() != 1) object.refuse(list_key, "a list of one step", shown(list), kAdvice);
  const JsonObject only(list[0], file.file(), object.path_of(list_key));
  return {only.text("type", ""), &list[0], object.path_of(list_key)};
}

/// Of a step that is there: one with a type.
JsonObject object_of(const Step& step, const JsonObject& file) {
  ensure(step.value != nullptr, "a step with a type has a value");
  return {*step.value, file.file(), step.path};
}

[[noreturn]] void refuse_step(const JsonObject& file, const std::string& key, const Step& step,
                              const std::string& expected) {
  file.refuse(key, expected, step.type.empty() ? "none" : in_quotes(step.type), kAdvice);
}

Vocabulary read_vocabulary(const JsonObject& model) {
  const JsonObject vocabulary = model.object("vocab");
  std::vector<VocabularyEntry> entries;
  for (const auto& [token, id] : vocabulary.json().items()) {
    entries.push_back({token, vocabulary.number(token, -1), 0});
  }
  return Vocabulary(entries, model.file());
}

/// Merges are written as "a b" or as ["a", "b"].
std::vector<MergeRule> read_merges(const JsonObject& model) {
  const Json& list = model.at("merges");
  if (!list.is_array()) model.refuse("merges", "a list", shown(list));
  std::vector<MergeRule> rules;
  for (const Json& entry : list) {
    MergeRule rule;
    if (entry.is_array() && entry.size() == 2 && entry[0].is_string() && entry[1].is_string()) {
      rule.left = entry[0].get<std::string>();
      rule.right = entry[1].get<std::string>();
    } else if (entry.is_string()) {
      const auto& text = entry.get_ref<const std::string&>();
      const std::size_t space = text.find(' ');
      if (space == std::string::npos || text.find(' ', space + 1) != std::string::npos) {
        model.refuse("merges", "pairs of tokens", shown(entry));
      }
      rule.left = text.substr(0, space);
      rule.right = text.substr(space + 1);
    } else {
      model.refuse("merges", "pairs of tokens", shown(entry));
    }
    rules.push_back(std::move(rule));
  }
  return rules;
}

std::vector<AddedToken> read_added(const JsonObject& file, Vocabulary& vocabulary) {
  std::vector<AddedToken> added;
  const Json* list = file.find("added_tokens");
  if (list == nullptr) return added;
  if (!list->is_array()) file.refuse("added_tokens", "a list", shown(*list));
  for (const Json& value : *list) {
    const JsonObject entry(value, file.file(), "added_tokens");
    AddedToken token;
    token.content = entry.text("content", "");
    if (token.content.empty()) entry.refuse("content", "a token", "none");
    token.id = vocabulary.add({token.content, entry.number("id", -1), 0}, file.file());
    token.special = entry.flag("special", false);
    token.normalised = entry.flag("normalized", true);
    token.single_word = entry.flag("single_word", false);
    token.left_strip = entry.flag("lstrip", false);
    token.right_strip = entry.flag("rstrip", false);
    added.push_back(token);
  }
  return added;
}

BertTextOptions read_normaliser(const JsonObject& file) {
  BertTextOptions options{.clean_text = false, .split_ideographs = false, .strip_accents = false, .lower_case = false};
  const Step step = step_of(file, "normalizer");
  if (step.type.empty()) return options;
  if (step.type == "Lowercase") {
    options.lower_case = true;
    return options;
  }
  if (step.type != "BertNormalizer") refuse_step(file, "normalizer", step, "BertNormalizer, Lowercase or none");
  const JsonObject object = object_of(step, file);
  options.clean_text = object.flag("clean_text", true);
  options.split_ideographs = object.flag("handle_chinese_chars", true);
  options.lower_case = object.flag("lowercase", true);
  options.strip_accents = object.flag("strip_accents", options.lower_case);
  return options;
}

void require_bert_words(const JsonObject& file) {
  const Step step = step_of(file, "pre_tokenizer");
  if (step.type != "BertPreTokenizer") refuse_step(file, "pre_tokenizer", step, "BertPreTokenizer");
}

void require_decoder(const JsonObject& file, const std::string& expected) {
  const Step step = step_of(file, "decoder");
  if (!step.type.empty() && step.type != expected) refuse_step(file, "decoder", step, expected);
}

/// The templates put special tokens around a text, which we leave to others; of the rest only trimming matters here.
bool trims_offsets(const JsonObject& file) {
  const Json* value = file.find("post_processor");
  if (value == nullptr) return false;
  const JsonObject object(*value, file.file(), "post_processor");
  const std::string type = object.text("type", "");
  if (type == "ByteLevel" || type == "RobertaProcessing") return object.flag("trim_offsets", true);
  if (type == "TemplateProcessing" || type == "BertProcessing" || type == "Sequence") return false;
  file.refuse("post_processor", "TemplateProcessing, BertProcessing, RobertaProcessing, ByteLevel or Sequence",
              in_quotes(type), kAdvice);
}

std::unique_ptr<Tokenizer> read_wordpiece(const JsonObject& file, const JsonObject& model) {
  WordPieceOptions options;
  options.text = read_normaliser(file);
  require_bert_words(file);
  require_decoder(file, "WordPiece");
  options.unknown = model.text("unk_token", options.unknown);
  options.continuation = model.text("continuing_subword_prefix", options.continuation);
  const std::int64_t longest = model.number("max_input_chars_per_word", 100);
  if (longest < 0) model.refuse("max_input_chars_per_word", "a positive number", std::to_string(longest));
  options.longest_word = static_cast<std::size_t>(longest);
  const Step decoder = step_of(file, "decoder");
  if (decoder.value != nullptr) options.clean_up = object_of(decoder, file).flag("cleanup", true);
  Vocabulary vocabulary = read_vocabulary(model);
  std::vector<AddedToken> added = read_added(file, vocabulary);
  return std::make_unique<WordPieceTokenizer>(std::move(vocabulary), std::move(added), options, file.file());
}

void require_plain_bpe(const JsonObject& model) {
  const Json* dropout = model.find("dropout");
  if (dropout != nullptr && !(dropout->is_number() && dropout->get<double>() == 0)) {
    model.refuse("dropout", "none", shown(*dropout), "Set it to null: encoding is deterministic here");
  }
  if (!model.text("continuing_subword_prefix", "").empty()) {
    model.refuse("continuing_subword_prefix", "none", in_quotes(model.text("continuing_subword_prefix", "")), kAdvice);
  }
  for (const char* key : {"byte_fallback", "ignore_merges"}) {
    if (model.flag(key, false)) model.refuse(key, "false", "true", kAdvice);
  }
}

std::unique_ptr<Tokenizer> read_bpe(const JsonObject& file, const JsonObject& model,
                                    const TokenizerFileOptions& file_options) {
  require_plain_bpe(model);
  Vocabulary vocabulary = read_vocabulary(model);
  BpeMerges merges(read_merges(model), vocabulary, file.file());
  std::vector<AddedToken> added = read_added(file, vocabulary);
  const Step words = step_of(file, "pre_tokenizer");
  const std::string end_of_word = model.text("end_of_word_suffix", "");
  if (words.type == "ByteLevel") {
    if (!end_of_word.empty()) model.refuse("end_of_word_suffix", "none", in_quotes(end_of_word), kAdvice);
    const Step normaliser = step_of(file, "normalizer");
    if (!normaliser.type.empty()) refuse_step(file, "normalizer", normaliser, "none");
    require_decoder(file, "ByteLevel");
    const JsonObject object = object_of(words, file);
    if (!object.flag("use_regex", true)) object.refuse("use_regex", "true", "false", kAdvice);
    ByteBpeOptions options;
    options.add_prefix_space = object.flag("add_prefix_space", true);
    options.trim_offsets = trims_offsets(file);
    options.unknown = model.text("unk_token", "");
    options.fuse_unknown = model.flag("fuse_unk", false);
    return std::make_unique<ByteBpeTokenizer>(std::move(vocabulary), std::move(added), std::move(merges), options,
                                              file.file());
  }
  if (words.type != "BertPreTokenizer") refuse_step(file, "pre_tokenizer", words, "ByteLevel or BertPreTokenizer");
  if (end_of_word.empty()) model.refuse("end_of_word_suffix", "\"</w>\"", "none", kAdvice);
  require_decoder(file, "BPEDecoder");
  Gpt1BpeOptions options;
  options.words = file_options.gpt1_words;
  options.text = read_normaliser(file);
  options.unknown = model.text("unk_token", "");
  options.end_of_word = end_of_word;
  options.fuse_unknown = model.flag("fuse_unk", false);
  return std::make_unique<Gpt1BpeTokenizer>(std::move(vocabulary), std::move(added), std::move(merges), options,
                                            file.file());
}

}  // namespace

std::unique_ptr<Tokenizer> parse_tokenizer_json(std::string_view json, const std::string& name,
                                                const TokenizerFileOptions& options) {
  const Json parsed = parse_json(json, name);
  const JsonObject file(parsed, name, "");
  const JsonObject model = file.object("model");
  std::string type = model.text("type", "");
  if (type.empty()) type = model.find("merges") != nullptr ? "BPE" : "WordPiece";  // old files leave it out
  trims_offsets(file);
  if (type == "WordPiece") return read_wordpiece(file, model);
  if (type == "BPE") return read_bpe(file, model, options);
  model.refuse("type", "WordPiece or BPE", in_quotes(type), kAdvice);
}

}  // namespace gumption
