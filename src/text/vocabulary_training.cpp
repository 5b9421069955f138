#include "gumption/text/vocabulary_training.h"

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gumption/base/error.h"
#include "gumption/base/files.h"
#include "gumption/base/progress.h"
#include "gumption/base/thread_pool.h"
#include "gumption/text/bert_text.h"
#include "gumption/text/byte_bpe.h"
#include "gumption/text/pair_merging.h"
#include "gumption/text/unicode.h"
#include "gumption/text/word_counts.h"

namespace gumption {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kBlock = std::size_t{1} << 22;
constexpr std::size_t kLongestByteWord = 1000;
constexpr std::size_t kLongestPoints = 100;
constexpr std::string_view kContinuation = "##";
const std::vector<std::string> kBertSpecial = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
const std::vector<std::string> kGpt2Special = {"<|endoftext|>"};

/// A stretch of a file.
struct Block {
  std::string bytes;
  std::string file;
  std::uint64_t position = 0;  // in the unpacked file
};

/// Cuts files into blocks of whole lines, the same ones whoever asks. A line longer than a block is cut too.
class BlockReader {
 public:
  explicit BlockReader(const std::vector<fs::path>& files) : files_(files) {}

  /// False at the end of the last file.
  bool next(Block& block) {
    while (!source_ || (at_end_ && pending_.empty())) {
      if (next_file_ == files_.size()) return false;
      source_ = open_input(files_[next_file_++]);
      at_end_ = false;
      position_ = 0;
      fill();
    }
    fill();
    const std::size_t size = block_size();
    block = {pending_.substr(0, size), source_->name(), position_};
    position_ += size;
    pending_.erase(0, size);
    return true;
  }

 private:
  void fill() {
    while (pending_.size() < kBlock && !at_end_) {
      const std::size_t before = pending_.size();
      pending_.resize(before + kBlock);
      const std::size_t got = source_->read(pending_.data() + before, kBlock);
      pending_.resize(before + got);
      at_end_ = got == 0;
    }
  }

  std::size_t block_size() const {
    if (at_end_ && pending_.size() <= kBlock) return pending_.size();
    const std::size_t line_end = std::string_view(pending_).substr(0, kBlock).rfind('\n');
    if (line_end != std::string_view::npos) return line_end + 1;
    std::size_t size = kBlock;
    while (size > kBlock - 4 && size < pending_.size() && (pending_[size] & 0xC0) == 0x80) --size;
    return size;
  }

  const std::vector<fs::path>& files_;
  std::size_t next_file_ = 0;
  std::unique_ptr<ByteSource> source_;
  std::string pending_;
  std::uint64_t position_ = 0;
  bool at_end_ = true;
};

std::uint64_t total_size(const std::vector<fs::path>& files) {
  std::uint64_t total = 0;
  for (const fs::path& path : files) {
    std::error_code unknown;
    const auto size = fs::file_size(path, unknown);
    if (unknown) return 0;
    total += size;
  }
  return total;
}

void require_valid(Block& block, InvalidUtf8 invalid) {
  const auto bad = find_invalid_utf8(block.bytes);
  if (!bad) return;
  if (invalid == InvalidUtf8::kRefuse) {
    throw UserError(Complaint{block.file, 0, "UTF-8 text",
                              fmt::format("other bytes at position {}", block.position + *bad),
                              "Convert the file, or let such bytes be replaced"});
  }
  block.bytes = replace_invalid_utf8(block.bytes);
}

/// Calls take(line), with the line's end, for each line of a text.
template <class Take>
void for_each_line(std::string_view text, Take&& take) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end == std::string_view::npos ? text.size() : end + 1);
    take(line);
    text.remove_prefix(line.size());
  }
}

WordCounts count_block(Block& block, const TrainingOptions& options) {
  require_valid(block, options.invalid);
  WordCounts counts;
  if (options.kind == VocabularyKind::kByteBpe) {
    const CharacterTable& table = CharacterTable::get();
    for_each_line(block.bytes, [&](std::string_view line) {
      while (!line.empty()) {
        const std::size_t size = first_gpt2_piece(line, table);
        if (size <= kLongestByteWord) counts.add(line.substr(0, size));
        line.remove_prefix(size);
      }
    });
    return counts;
  }
  BertText text({.strip_accents = !options.cased, .lower_case = !options.cased});
  BertText::Scratch scratch;
  for_each_line(block.bytes, [&](std::string_view line) {
    text.for_each_word(line, scratch, [&](const char* data, std::size_t size) {
      const std::string_view word(data, size);
      if (size <= kLongestPoints || count_points(word) <= kLongestPoints) counts.add(word);
    });
  });
  return counts;
}

WordCounts count_words(const std::vector<fs::path>& files, const TrainingOptions& options) {
  ThreadPool pool(options.threads);
  BlockReader reader(files);
  Progress progress("counting words", "B", total_size(files));
  WordCounts all;
  bool more = true;
  while (more) {
    std::vector<Block> blocks;
    while (more && blocks.size() < pool.size() * 2) {
      Block block;
      more = reader.next(block);
      if (more) blocks.push_back(std::move(block));
    }
    std::vector<WordCounts> counted(blocks.size());
    pool.parallel_for(blocks.size(), [&](std::size_t i) {
      counted[i] = count_block(blocks[i], options);
      progress.add(blocks[i].bytes.size());
    });
    for (const WordCounts& counts : counted) {  // in order, so that what is forgotten doesn't depend on threads
      all.add_all(counts);
      if (all.size() > options.most_words) all.keep_commonest(options.most_words / 2);
    }
  }
  return all;
}

/// Tokens while they are being made.
class TokenList {
 public:
  std::uint32_t add(const std::string& token) {
    const auto [place, is_new] = ids_.try_emplace(token, static_cast<std::uint32_t>(tokens_.size()));
    if (is_new) tokens_.push_back(token);
    return place->second;
  }
  const std::uint32_t* find(const std::string& token) const {
    const auto found = ids_.find(token);
    return found == ids_.end() ? nullptr : &found->second;
  }
  const std::string& operator[](std::uint32_t id) const { return tokens_[id]; }
  std::size_t size() const { return tokens_.size(); }
  std::vector<std::string> release() { return std::move(tokens_); }

 private:
  std::unordered_map<std::string, std::uint32_t> ids_;
  std::vector<std::string> tokens_;
};

std::vector<std::string> characters_of(std::string_view word) {
  std::vector<std::string> characters;
  while (!word.empty()) {
    const std::size_t length = decode_point(word).length;
    characters.emplace_back(word.substr(0, length));
    word.remove_prefix(length);
  }
  return characters;
}

void add_bytes(const std::vector<WordCounts::Counted>& words, TokenList& tokens, PairMerger& merger) {
  std::vector<std::string> alphabet(byte_spellings().begin(), byte_spellings().end());
  std::sort(alphabet.begin(), alphabet.end());  // UTF-8 sorts as its code points do
  for (const std::string& spelling : alphabet) tokens.add(spelling);
  std::vector<PairMerger::Symbol> symbols;
  for (const WordCounts::Counted& counted : words) {
    symbols.clear();
    for (const char byte : counted.word) {
      symbols.push_back(*tokens.find(byte_spellings()[static_cast<unsigned char>(byte)]));
    }
    merger.add_word(symbols, counted.count);
  }
}

/// The commonest characters, in the order of their code points.
std::vector<std::string> commonest_characters(const std::vector<WordCounts::Counted>& words, std::size_t most) {
  std::unordered_map<std::string, std::uint64_t> counts;
  for (const WordCounts::Counted& counted : words) {
    for (const std::string& character : characters_of(counted.word)) counts[character] += counted.count;
  }
  struct Character {
    std::string text;
    std::uint64_t count;
  };
  std::vector<Character> found;
  found.reserve(counts.size());
  for (const auto& [text, count] : counts) found.push_back({text, count});
  std::sort(found.begin(), found.end(), [](const Character& a, const Character& b) {
    return a.count != b.count ? a.count > b.count : a.text < b.text;
  });
  if (found.size() > most) found.resize(most);
  std::vector<std::string> kept;
  kept.reserve(found.size());
  for (const Character& character : found) kept.push_back(character.text);
  std::sort(kept.begin(), kept.end());
  return kept;
}

void add_characters(const std::vector<WordCounts::Counted>& words, const TrainingOptions& options, TokenList& tokens,
                    PairMerger& merger) {
  // Each character may need two tokens; leave room for longer ones.
  const std::size_t room = (options.vocabulary_size - tokens.size()) / 3;
  const auto alphabet = commonest_characters(words, std::min<std::size_t>(options.alphabet, room));
  for (const std::string& character : alphabet) tokens.add(character);
  std::unordered_set<std::string> continuing;
  for (const WordCounts::Counted& counted : words) {
    const auto characters = characters_of(counted.word);
    for (std::size_t i = 1; i < characters.size(); ++i) continuing.insert(characters[i]);
  }
  for (const std::string& character : alphabet) {
    if (continuing.contains(character)) tokens.add(std::string(kContinuation) + character);
  }
  std::vector<PairMerger::Symbol> symbols;
  for (const WordCounts::Counted& counted : words) {
    symbols.clear();
    bool first = true;
    for (const std::string& character : characters_of(counted.word)) {
      const std::uint32_t* id = tokens.find(first ? character : std::string(kContinuation) + character);
      if (id != nullptr) symbols.push_back(*id);
      first = false;
    }
    merger.add_word(symbols, counted.count);
  }
}

std::vector<MergeRule> grow(const TrainingOptions& options, TokenList& tokens, PairMerger& merger) {
  Progress progress("making tokens", "tokens", options.vocabulary_size);
  const bool wordpiece = options.kind == VocabularyKind::kWordPiece;
  std::vector<MergeRule> merges;
  merger.start();
  PairMerger::Pair pair;
  while (tokens.size() < options.vocabulary_size &&
         merger.commonest(std::max<std::uint64_t>(options.minimum_count, 1), pair)) {
    const std::string left = tokens[pair.left];
    const std::string right = tokens[pair.right];
    const bool strip = wordpiece && right.starts_with(kContinuation);
    const std::uint32_t merged = tokens.add(left + (strip ? right.substr(kContinuation.size()) : right));
    merger.merge(pair, merged);
    merges.push_back({left, right, 0});
    progress.set(tokens.size());
  }
  return merges;
}

void require_sensible(const TrainingOptions& options, const std::vector<fs::path>& files) {
  const std::uint64_t least = options.kind == VocabularyKind::kByteBpe ? 256 + kGpt2Special.size() : 64;
  const auto most = static_cast<std::uint64_t>(Vocabulary::kLargestId);
  if (options.vocabulary_size < least || options.vocabulary_size > most) {
    throw UserError(
        fmt::format("expected a vocabulary size of {} to {}, found {}.", least, most, options.vocabulary_size));
  }
  if (files.empty()) throw UserError("expected text files to train on, found none. Name some.");
}

}  // namespace

OptionSet describe(TrainingOptions& options) {
  OptionSet set;
  set.add("vocab_size", options.vocabulary_size, "Tokens to make, special ones included");
  set.add("minimum_count", options.minimum_count, "How often a pair must occur to become a token");
  set.add("cased", options.cased, "WordPiece: keep upper case and accents");
  set.add("alphabet", options.alphabet, "WordPiece: how many of the commonest characters to keep");
  set.add("most_words", options.most_words, "Different words to hold in memory; beyond, the rarest are forgotten");
  return set;
}

TrainedVocabulary train_vocabulary(const std::vector<fs::path>& files, const TrainingOptions& options) {
  require_sensible(options, files);
  const WordCounts counts = count_words(files, options);
  if (counts.size() == 0) {
    throw UserError(Complaint{files.front().string(), 0, "text to train on", "no words", "Name files with text"});
  }
  const bool wordpiece = options.kind == VocabularyKind::kWordPiece;
  TokenList tokens;
  PairMerger merger;
  for (const std::string& token : wordpiece ? kBertSpecial : kGpt2Special) tokens.add(token);
  const std::vector<WordCounts::Counted> words = counts.sorted();
  if (wordpiece) {
    add_characters(words, options, tokens, merger);
  } else {
    add_bytes(words, tokens, merger);
  }
  TrainedVocabulary trained{options.kind, !options.cased, {}, {}};
  trained.merges = grow(options, tokens, merger);
  trained.tokens = tokens.release();
  return trained;
}

void write_vocabulary(const TrainedVocabulary& vocabulary, const fs::path& folder) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) throw UserError(fmt::format("{}: can't make the folder: {}.", folder.string(), failure.message()));
  nlohmann::ordered_json config;
  if (vocabulary.kind == VocabularyKind::kWordPiece) {
    std::string text;
    for (const std::string& token : vocabulary.tokens) text += token + "\n";
    write_file(folder / "vocab.txt", text);
    config = {{"do_lower_case", vocabulary.lower_case},
              {"strip_accents", nullptr},
              {"tokenize_chinese_chars", true},
              {"unk_token", "[UNK]"},
              {"sep_token", "[SEP]"},
              {"pad_token", "[PAD]"},
              {"cls_token", "[CLS]"},
              {"mask_token", "[MASK]"},
              {"model_max_length", 512},
              {"tokenizer_class", "BertTokenizer"}};
  } else {
    std::string ids = "{";
    for (std::size_t id = 0; id < vocabulary.tokens.size(); ++id) {
      ids += fmt::format("{}{}:{}", id == 0 ? "" : ",", nlohmann::json(vocabulary.tokens[id]).dump(), id);
    }
    write_file(folder / "vocab.json", ids + "}\n");
    std::string text = "#version: 0.2\n";
    for (const MergeRule& merge : vocabulary.merges) text += merge.left + " " + merge.right + "\n";
    write_file(folder / "merges.txt", text);
    config = {{"add_prefix_space", false},    {"unk_token", "<|endoftext|>"}, {"bos_token", "<|endoftext|>"},
              {"eos_token", "<|endoftext|>"}, {"model_max_length", 1024},     {"tokenizer_class", "GPT2Tokenizer"}};
  }
  write_file(folder / "tokenizer_config.json", config.dump(2) + "\n");
}

}  // namespace gumption
