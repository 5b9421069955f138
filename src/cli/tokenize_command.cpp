#include <cstdio>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gumption/base/error.h"
#include "gumption/base/line_reader.h"
#include "gumption/base/thread_pool.h"
#include "gumption/text/tokenizer_files.h"
#include "gumption/text/unicode.h"
#include "gumption/text/vocabulary_training.h"

#include "cli/command.h"
#include "cli/output.h"

namespace gumption::cli {

namespace {

using Json = nlohmann::json;

struct State {
  std::vector<std::string> files;
  std::string tokenizer;
  TokenizerFileOptions file_options;
  bool tokens = false;
  bool offsets = false;
  bool decode = false;
  bool skip_special = false;
  InvalidUtf8 invalid = InvalidUtf8::kReplace;
  std::string train;
  TrainingOptions training;
  std::string out;
};

/// A line of input and where it stood.
struct InputLine {
  std::string text;
  const std::string* file = nullptr;
  std::size_t number = 0;
};

bool is_surrogate_escape(std::string_view text, char low_digit, char high_digit) {
  if (text.size() < 6 || text[0] != '\\' || text[1] != 'u' || (text[2] | 0x20) != 'd') return false;
  const char digit = text[3] >= 'a' ? static_cast<char>(text[3] - 0x20) : text[3];
  return digit >= low_digit && digit <= high_digit;
}

/// Half a surrogate pair, written as an escape, stands for no character: U+FFFD instead.
void replace_lone_surrogates(std::string& line) {
  for (std::size_t at = line.find('\\'); at != std::string::npos; at = line.find('\\', at)) {
    const std::string_view rest = std::string_view(line).substr(at);
    const bool high = is_surrogate_escape(rest, '8', 'B');
    if (high && is_surrogate_escape(rest.substr(6), 'C', 'F')) {
      at += 12;
    } else if (high || is_surrogate_escape(rest, 'C', 'F')) {
      line.replace(at, 6, "\\ufffd");
      at += 6;
    } else {
      at += 2;
    }
  }
}

[[noreturn]] void refuse(const InputLine& line, const std::string& expected, const std::string& advice = {}) {
  throw UserError(Complaint{*line.file, line.number, expected, in_quotes(line.text), advice});
}

Json parse_line(InputLine& line, InvalidUtf8 invalid, const std::string& expected, const std::string& advice) {
  if (const auto bad = find_invalid_utf8(line.text)) {
    if (invalid == InvalidUtf8::kRefuse) {
      throw UserError(Complaint{*line.file, line.number, "UTF-8 text",
                                fmt::format("byte 0x{:02X} at position {} of the line, which is not",
                                            static_cast<unsigned char>(line.text[*bad]), *bad),
                                "Convert the file, or use --invalid replace"});
    }
    line.text = replace_invalid_utf8(line.text);
  }
  if (invalid == InvalidUtf8::kReplace) replace_lone_surrogates(line.text);
  Json json = Json::parse(line.text, nullptr, false);
  if (json.is_discarded()) refuse(line, expected, advice);
  return json;
}

std::string encoded(const Tokenizer& tokenizer, const State& state, InputLine& line, EncodeScratch& scratch) {
  const std::string expected = "a JSON string";
  const std::string advice = "Quote the text: each line is one JSON string";
  const Json json = parse_line(line, state.invalid, expected, advice);
  if (!json.is_string()) refuse(line, expected, advice);
  const auto& text = json.get_ref<const std::string&>();
  Json out = Json::array();
  if (state.offsets) {
    for (const TextRange& range : tokenizer.encode_with_offsets(text).points) out.push_back({range.begin, range.end});
    return out.dump();
  }
  std::vector<TokenId> ids;
  tokenizer.encode(text, scratch, ids);
  if (state.tokens) {
    for (const TokenId id : ids) out.push_back(tokenizer.vocabulary().token_of(id));
    return out.dump();
  }
  return fmt::format("[{}]", fmt::join(ids, ","));
}

std::string decoded(const Tokenizer& tokenizer, const State& state, InputLine& line) {
  const std::string expected = "a JSON array of ids";
  const Json json = parse_line(line, state.invalid, expected, {});
  if (!json.is_array()) refuse(line, expected);
  std::vector<TokenId> ids;
  for (const Json& id : json) {
    const bool fits = id.is_number_integer() && id >= 0 && id <= Vocabulary::kLargestId;
    if (!fits || !tokenizer.vocabulary().has(id.get<TokenId>())) {
      throw UserError(
          Complaint{*line.file, line.number, "ids of this vocabulary", id.dump(), "Was another tokenizer used?"});
    }
    ids.push_back(id.get<TokenId>());
  }
  return Json(tokenizer.decode(ids, {.skip_special = state.skip_special})).dump();
}

/// Lines go through the threads in batches and come out in their order.
class LineRunner {
 public:
  LineRunner(const Tokenizer& tokenizer, const State& state, std::size_t threads)
      : tokenizer_(tokenizer), state_(state), pool_(threads) {}

  void run(const std::string& path) {
    LineReader reader(open_input(path));
    const std::string name = reader.source().name();
    std::string_view line;
    std::size_t bytes = 0;
    while (reader.next(line)) {
      lines_.push_back({std::string(line), &name, reader.line_number()});
      bytes += line.size();
      if (lines_.size() < kLines && bytes < kBytes) continue;
      flush();
      bytes = 0;
    }
    flush();
  }

 private:
  static constexpr std::size_t kLines = 4096;
  static constexpr std::size_t kBytes = std::size_t{1} << 22;
  static constexpr std::size_t kPart = 64;

  void flush() {
    std::vector<std::string> results((lines_.size() + kPart - 1) / kPart);
    pool_.parallel_for(results.size(), [&](std::size_t part) {
      EncodeScratch& scratch = scratch_of_thread();
      const std::size_t end = std::min(lines_.size(), (part + 1) * kPart);
      for (std::size_t i = part * kPart; i < end; ++i) {
        results[part] +=
            state_.decode ? decoded(tokenizer_, state_, lines_[i]) : encoded(tokenizer_, state_, lines_[i], scratch);
        results[part] += '\n';
      }
    });
    for (const std::string& result : results) std::fwrite(result.data(), 1, result.size(), stdout);
    lines_.clear();
  }

  EncodeScratch& scratch_of_thread() {
    thread_local EncodeScratch scratch(tokenizer_);  // a run has one tokenizer
    return scratch;
  }

  const Tokenizer& tokenizer_;
  const State& state_;
  ThreadPool pool_;
  std::vector<InputLine> lines_;
};

int train(const State& state, const CommonOptions& common) {
  if (state.out.empty()) throw UsageError("--out is required with --train: the folder to write.");
  if (state.files.empty()) throw UsageError("--train needs text files. Name some.");
  TrainingOptions options = state.training;
  options.kind = state.train == "bpe" ? VocabularyKind::kByteBpe : VocabularyKind::kWordPiece;
  options.threads = common.threads;
  options.invalid = state.invalid;
  const TrainedVocabulary trained = train_vocabulary(to_paths(state.files), options);
  write_vocabulary(trained, state.out);
  if (common.json) {
    nlohmann::ordered_json json;
    json["out"] = state.out;
    json["tokens"] = trained.tokens.size();
    json["merges"] = trained.merges.size();
    print_json(json);
  }
  print_note(common, fmt::format("Written to {}: {} tokens.", state.out, with_commas(trained.tokens.size())));
  return 0;
}

int run(const State& state, const CommonOptions& common) {
  if (!state.train.empty()) return train(state, common);
  if (state.tokenizer.empty()) throw UsageError("--tokenizer is required: a folder with a vocabulary, or --train.");
  if (state.tokens + state.offsets + state.decode > 1) {
    throw UsageError("--tokens, --offsets and --decode exclude one another. Give one of them.");
  }
  const auto tokenizer = load_tokenizer(state.tokenizer, state.file_options);
  LineRunner runner(*tokenizer, state, common.threads);
  if (state.files.empty()) runner.run("-");
  for (const std::string& file : state.files) runner.run(file);
  return 0;
}

}  // namespace

Command tokenize_command() {
  auto state = std::make_shared<State>();
  Command command;
  command.name = "tokenize";
  command.about = "Turn texts (JSON strings, one a line) into token ids and back, or train a vocabulary";
  command.examples = {"echo '\"He put the ice away.\"' | gumption tokenize --tokenizer bert-base-uncased",
                      "gumption tokenize --tokenizer gpt2 --offsets texts.jsonl",
                      "echo '[464, 4771]' | gumption tokenize --tokenizer gpt2 --decode",
                      "gumption tokenize --train wordpiece --vocab-size 16000 --out my-vocabulary books/*.txt"};
  command.operands = {
      {"FILES", "Texts, or with --decode arrays of ids, one a line; standard input if none. With --train, plain text",
       &state->files, false, true}};
  command.options.add_file("tokenizer", state->tokenizer,
                           "Folder with tokenizer.json, vocab.txt, or vocab.json and merges.txt");
  command.options.add("tokens", state->tokens, "Print tokens instead of ids");
  command.options.add("offsets", state->offsets, "Print each token's [start, end) in code points instead of ids");
  command.options.add("decode", state->decode, "Read arrays of ids, print texts");
  command.options.add("skip_special", state->skip_special, "With --decode: leave special tokens out");
  command.options.add_choice(
      "invalid", state->invalid, "What to do about text that isn't UTF-8",
      std::vector<NamedValue<InvalidUtf8>>{{"replace", InvalidUtf8::kReplace}, {"refuse", InvalidUtf8::kRefuse}});
  command.options.add_choice(
      "gpt1_words", state->file_options.gpt1_words,
      "Words of a GPT-1 tokenizer: as Hugging Face makes them, or near the original code",
      std::vector<NamedValue<Gpt1Words>>{{"bert", Gpt1Words::kBert}, {"original", Gpt1Words::kOriginal}});
  command.options.add_choice("train", state->train, "Train a vocabulary of this kind on text files",
                             {"", "wordpiece", "bpe"});
  command.options.add_all(describe(state->training));
  command.options.add_file("out", state->out, "With --train: the folder to write");
  command.run = [state](const CommonOptions& common) { return run(*state, common); };
  return command;
}

}  // namespace gumption::cli
