#include "gumption/text/tokenizer_files.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "gumption/base/files.h"
#include "gumption/text/byte_bpe.h"
#include "gumption/text/tokenizer_json.hpp"
#include "gumption/text/unicode.h"
#include "gumption/text/wordpiece.h"

namespace gumption {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kLargestFile = std::uint64_t{1} << 28;

std::string read_small(const fs::path& path) {
  const auto source = open_plain(path);
  return read_all(*source, kLargestFile);
}

void require_utf8(std::string_view text, const std::string& name) {
  if (const auto bad = find_invalid_utf8(text)) {
    throw UserError(
        Complaint{name, 0, "UTF-8 text", fmt::format("other bytes at position {}", *bad), "Is this the right file?"});
  }
}

/// The lines of a text, without their ends; an empty last line doesn't count.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string_view trim_end(std::string_view text) {
  while (!text.empty()) {
    std::size_t at = text.size() - 1;
    while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
    if (!is_white_space(decode_point(text.substr(at)).value)) break;
    text = text.substr(0, at);
  }
  return text;
}

/// tokenizer_config.json names a special token by a text or by an object with its "content".
std::string special_name(const JsonObject& config, const std::string& key, const std::string& otherwise) {
  const Json* found = config.find(key);
  if (found != nullptr && found->is_object()) return config.object(key).text("content", otherwise);
  return config.text(key, otherwise);
}

void add_if_known(const Vocabulary& vocabulary, const std::string& content, std::vector<AddedToken>& added) {
  const auto id = vocabulary.id_of(content);
  if (!id || content.empty()) return;
  for (const AddedToken& token : added) {
    if (token.id == *id) return;
  }
  added.push_back({.content = content, .id = *id});
}

/// The tokens that a tokenizer_config.json adds to a vocabulary, by id.
void add_configured(const JsonObject& config, Vocabulary& vocabulary, std::vector<AddedToken>& added) {
  if (config.find("added_tokens_decoder") == nullptr) return;
  const JsonObject listed = config.object("added_tokens_decoder");
  for (const auto& [key, value] : listed.json().items()) {
    const JsonObject entry(value, config.file(), listed.path_of(key));
    AddedToken token;
    token.content = entry.text("content", "");
    if (token.content.empty()) entry.refuse("content", "a token", "none");
    std::size_t used = 0;
    for (; used < key.size() && key[used] >= '0' && key[used] <= '9'; ++used) {
    }
    if (key.empty() || used != key.size() || key.size() > 9) listed.refuse(key, "ids", in_quotes(key));
    token.id = vocabulary.add({token.content, std::stoll(key), 0}, config.file());
    token.special = entry.flag("special", false);
    token.normalised = entry.flag("normalized", !token.special);
    token.single_word = entry.flag("single_word", false);
    token.left_strip = entry.flag("lstrip", false);
    token.right_strip = entry.flag("rstrip", false);
    added.push_back(token);
  }
}

std::vector<MergeRule> parse_merges(std::string_view text, const std::string& name) {
  std::vector<MergeRule> rules;
  std::size_t number = 0;
  for (const std::string_view line : lines_of(text)) {
    ++number;
    if (line.empty() || line.starts_with("#version")) continue;
    const std::size_t space = line.find(' ');
    const bool two = space != std::string_view::npos && space > 0 && space + 1 < line.size() &&
                     line.find(' ', space + 1) == std::string_view::npos;
    if (!two) {
      throw UserError(Complaint{name, number, "two tokens with one space between them", in_quotes(line),
                                "Is this a list of merges?"});
    }
    rules.push_back({std::string(line.substr(0, space)), std::string(line.substr(space + 1)), number});
  }
  return rules;
}

Vocabulary parse_json_vocabulary(std::string_view text, const std::string& name) {
  const Json json = parse_json(text, name);
  const JsonObject object(json, name, "");
  std::vector<VocabularyEntry> entries;
  for (const auto& [token, id] : json.items()) entries.push_back({token, object.number(token, -1), 0});
  return Vocabulary(entries, name);
}

std::unique_ptr<Tokenizer> make_bpe(Vocabulary vocabulary, const std::string& vocabulary_name,
                                    const std::vector<MergeRule>& rules, const std::string& merges_name,
                                    const JsonObject& config, const TokenizerFileOptions& options) {
  bool ends_words = false;
  for (const MergeRule& rule : rules) ends_words = ends_words || rule.right.ends_with("</w>");
  BpeMerges merges(rules, vocabulary, merges_name);
  std::vector<AddedToken> added;
  add_configured(config, vocabulary, added);
  if (ends_words) {
    Gpt1BpeOptions gpt1;
    gpt1.words = options.gpt1_words;
    gpt1.unknown = special_name(config, "unk_token", gpt1.unknown);
    add_if_known(vocabulary, gpt1.unknown, added);
    return std::make_unique<Gpt1BpeTokenizer>(std::move(vocabulary), std::move(added), std::move(merges), gpt1,
                                              vocabulary_name);
  }
  for (const char* key : {"bos_token", "eos_token", "unk_token"}) {
    add_if_known(vocabulary, special_name(config, key, "<|endoftext|>"), added);
  }
  ByteBpeOptions bytes;
  bytes.add_prefix_space = config.flag("add_prefix_space", false);
  return std::make_unique<ByteBpeTokenizer>(std::move(vocabulary), std::move(added), std::move(merges), bytes,
                                            vocabulary_name);
}

Json parse_config(std::string_view config, const std::string& name) {
  return config.empty() ? Json::object() : parse_json(config, name);
}

}  // namespace

std::unique_ptr<Tokenizer> parse_wordpiece(std::string_view vocabulary, const std::string& name,
                                           std::string_view config_text, const std::string& config_name) {
  require_utf8(vocabulary, name);
  std::vector<VocabularyEntry> entries;
  for (const std::string_view line : lines_of(vocabulary)) {
    const auto id = static_cast<std::int64_t>(entries.size());
    entries.push_back({std::string(trim_end(line)), id, entries.size() + 1});
  }
  Vocabulary words(entries, name);
  const Json config_json = parse_config(config_text, config_name);
  const JsonObject config(config_json, config_name, "");
  WordPieceOptions options;
  options.text.lower_case = config.flag("do_lower_case", true);
  options.text.strip_accents = config.flag("strip_accents", options.text.lower_case);
  options.text.split_ideographs = config.flag("tokenize_chinese_chars", true);
  options.unknown = special_name(config, "unk_token", options.unknown);
  std::vector<AddedToken> added;
  add_configured(config, words, added);
  for (const AddedToken& token : bert_special_tokens(words)) add_if_known(words, token.content, added);
  for (const char* key : {"unk_token", "sep_token", "pad_token", "cls_token", "mask_token"}) {
    add_if_known(words, special_name(config, key, ""), added);
  }
  return std::make_unique<WordPieceTokenizer>(std::move(words), std::move(added), options, name);
}

std::unique_ptr<Tokenizer> parse_bpe(std::string_view vocabulary, const std::string& vocabulary_name,
                                     std::string_view merges, const std::string& merges_name,
                                     const TokenizerFileOptions& options) {
  require_utf8(merges, merges_name);
  const Json none = Json::object();
  return make_bpe(parse_json_vocabulary(vocabulary, vocabulary_name), vocabulary_name,
                  parse_merges(merges, merges_name), merges_name, JsonObject(none, vocabulary_name, ""), options);
}

namespace {

std::unique_ptr<Tokenizer> load_wordpiece(const fs::path& vocabulary) {
  const fs::path config = vocabulary.parent_path() / "tokenizer_config.json";
  return parse_wordpiece(read_small(vocabulary), vocabulary.string(), fs::exists(config) ? read_small(config) : "",
                         config.string());
}

std::unique_ptr<Tokenizer> load_bpe(const fs::path& vocabulary, const fs::path& merges,
                                    const TokenizerFileOptions& options) {
  const fs::path config_path = vocabulary.parent_path() / "tokenizer_config.json";
  const Json config = parse_config(fs::exists(config_path) ? read_small(config_path) : "", config_path.string());
  const std::string merges_text = read_small(merges);
  require_utf8(merges_text, merges.string());
  return make_bpe(parse_json_vocabulary(read_small(vocabulary), vocabulary.string()), vocabulary.string(),
                  parse_merges(merges_text, merges.string()), merges.string(),
                  JsonObject(config, config_path.string(), ""), options);
}

/// The first of some files that is in a folder; empty where none is.
fs::path first_of(const fs::path& folder, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (fs::exists(folder / name)) return folder / name;
  }
  return {};
}

std::unique_ptr<Tokenizer> load_folder(const fs::path& folder, const TokenizerFileOptions& options) {
  const fs::path json = folder / "tokenizer.json";
  if (fs::exists(json)) return parse_tokenizer_json(read_small(json), json.string(), options);
  if (fs::exists(folder / "vocab.txt")) return load_wordpiece(folder / "vocab.txt");
  const fs::path vocabulary = first_of(folder, {"encoder_bpe_40000.json", "vocab.json", "encoder.json"});
  const fs::path merges = first_of(folder, {"vocab_40000.bpe", "merges.txt", "vocab.bpe"});
  if (!vocabulary.empty() && !merges.empty()) return load_bpe(vocabulary, merges, options);
  if (!vocabulary.empty() || !merges.empty()) {
    throw UserError(Complaint{folder.string(), 0, "a vocabulary and its merges",
                              "only " + (vocabulary.empty() ? merges : vocabulary).filename().string(),
                              "Put vocab.json and merges.txt side by side"});
  }
  throw UserError(Complaint{folder.string(), 0,
                            "a tokenizer: tokenizer.json, vocab.txt, or vocab.json (encoder.json) with merges.txt "
                            "(vocab.bpe)",
                            "none of them", "Name a folder that has one"});
}

}  // namespace

std::unique_ptr<Tokenizer> load_tokenizer(const fs::path& path, const TokenizerFileOptions& options) {
  if (fs::is_directory(path)) return load_folder(path, options);
  const std::string name = path.filename().string();
  if (name.ends_with(".txt")) return load_wordpiece(path);
  if (name.ends_with(".json")) return parse_tokenizer_json(read_small(path), path.string(), options);
  if (!fs::exists(path)) {
    throw UserError(Complaint{path.string(), 0, "a folder or file with a tokenizer", "nothing", "Check the name"});
  }
  throw UserError(Complaint{path.string(), 0, "a folder, a tokenizer.json or a vocab.txt", "another file",
                            "Name the folder that holds the vocabulary and its merges"});
}

}  // namespace gumption
