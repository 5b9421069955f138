#include "gumption/text/wordnet.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

#include <fmt/format.h>

#include "gumption/base/error.h"
#include "gumption/base/files.h"
#include "gumption/text/unicode.h"
#include "gumption/text/wordnet_rules.h"

namespace gumption {

namespace fs = std::filesystem;

namespace {

constexpr std::array kPartNames = {"noun", "verb", "adj", "adv"};  // in the order of PartOfSpeech

std::optional<PartOfSpeech> part_of_letter(std::string_view letter) {
  if (letter == "n") return PartOfSpeech::kNoun;
  if (letter == "v") return PartOfSpeech::kVerb;
  if (letter == "a" || letter == "s") return PartOfSpeech::kAdjective;
  if (letter == "r") return PartOfSpeech::kAdverb;
  return std::nullopt;
}

std::optional<Relation> relation_of_symbol(std::string_view symbol) {
  if (symbol == "@" || symbol == "@i") return Relation::kHypernym;
  if (symbol == "~" || symbol == "~i") return Relation::kHyponym;
  if (symbol == "*") return Relation::kEntailment;
  if (symbol == ">") return Relation::kCause;
  if (symbol == "&") return Relation::kSimilar;
  if (symbol == "!") return Relation::kAntonym;
  return std::nullopt;
}

/// Lower case with underscores: how the index writes a word.
std::string to_key(std::string_view word) {
  std::string key = to_lower(trim(word));
  std::replace(key.begin(), key.end(), ' ', '_');
  return key;
}

std::string to_phrase(std::string_view key) {
  std::string phrase(key);
  std::replace(phrase.begin(), phrase.end(), '_', ' ');
  return phrase;
}

void add_once(std::vector<std::string>& list, std::string text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(std::move(text));
}

/// A mapped file of lines whose first field is a key, sorted by it; lines that start with a space are its licence.
class SortedFile {
 public:
  explicit SortedFile(const fs::path& path) : name_(path.string()), file_(path) {}

  const std::string& name() const { return name_; }
  std::string_view bytes() const { return file_.bytes(); }

  /// The line that starts with `key` and a space, without its end; empty where there is none.
  std::string_view find(std::string_view key) const {
    const std::string_view all = bytes();
    std::size_t low = 0;
    std::size_t high = all.size();
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      const std::size_t before = middle == 0 ? std::string_view::npos : all.rfind('\n', middle - 1);
      const std::size_t begin = before == std::string_view::npos || before < low ? low : before + 1;
      const std::size_t end = std::min(all.find('\n', middle), all.size());
      const std::string_view line = all.substr(begin, end - begin);
      const int order = line.substr(0, line.find(' ')).compare(key);
      if (order == 0 && !line.empty()) return line;
      if (order < 0 || line.empty()) {
        low = end + 1;
      } else {
        high = begin;
      }
    }
    return {};
  }

 private:
  std::string name_;
  MappedFile file_;
};

/// The fields of one line of a file, taken from left to right; anything unexpected is a UserError with its place.
class Fields {
 public:
  Fields(const SortedFile& file, std::string_view line) : file_(file), rest_(line) {}

  std::string_view text(const char* what) {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size()));
    const std::string_view field = rest_.substr(0, rest_.find(' '));
    if (field.empty()) fail(what, "the end of the line");
    rest_.remove_prefix(field.size());
    return field;
  }

  std::uint32_t number(const char* what, int base = 10) {
    const std::string_view field = text(what);
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value, base);
    if (error != std::errc() || end != field.data() + field.size()) fail(what, in_quotes(field));
    return value;
  }

  PartOfSpeech part(const char* what) {
    const std::string_view field = text(what);
    const auto part = part_of_letter(field);
    if (!part) fail(what, in_quotes(field));
    return *part;
  }

  void skip(std::uint32_t count, const char* what) {
    for (std::uint32_t i = 0; i < count; ++i) text(what);
  }

  std::string_view rest() const { return rest_; }

  [[noreturn]] void fail(const char* expected, const std::string& found) const {
    const auto at = rest_.data() - file_.bytes().data();
    throw UserError(Complaint{file_.name(), 0, expected, fmt::format("{} near byte {}", found, at),
                              "The WordNet files are broken; install them again"});
  }

 private:
  const SortedFile& file_;
  std::string_view rest_;
};

/// The files of one part of speech.
struct PartFiles {
  PartFiles(const fs::path& folder, const std::string& name)
      : index(folder / ("index." + name)), data(folder / ("data." + name)), exceptions(folder / (name + ".exc")) {}

  SortedFile index;
  SortedFile data;
  SortedFile exceptions;
};

void check_folder(const fs::path& folder) {
  for (const std::string part : kPartNames) {
    for (const std::string& name : {"index." + part, "data." + part, part + ".exc"}) {
      std::error_code ignored;
      if (fs::is_regular_file(folder / name, ignored)) continue;
      throw UserError(Complaint{folder.string(), 0, "the files of WordNet 3", "no " + name,
                                "Install Debian's wordnet-base, or set GUMPTION_WORDNET to the folder with them"});
    }
  }
}

}  // namespace

struct WordNet::Files : WordBase {
  explicit Files(const fs::path& folder) {
    for (const char* name : kPartNames) parts.emplace_back(folder, name);
  }

  const PartFiles& of(PartOfSpeech part) const { return parts[static_cast<std::size_t>(part)]; }

  bool is_known(const std::string& key, PartOfSpeech part) const override { return !of(part).index.find(key).empty(); }

  std::vector<std::string> exceptions(const std::string& key, PartOfSpeech part) const override {
    const SortedFile& file = of(part).exceptions;
    std::vector<std::string> bases;
    const std::string_view line = file.find(key);
    if (line.empty()) return bases;
    Fields fields(file, line);
    fields.text("an inflected form");
    do {
      bases.emplace_back(fields.text("a base form"));
    } while (!trim(fields.rest()).empty());
    return bases;
  }

  std::vector<PartFiles> parts;
};

WordNet::WordNet(const fs::path& folder) {
  check_folder(folder);
  files_ = std::make_unique<const Files>(folder);
}

WordNet::WordNet(WordNet&&) noexcept = default;
WordNet& WordNet::operator=(WordNet&&) noexcept = default;
WordNet::~WordNet() = default;

std::optional<fs::path> WordNet::find_folder() {
  if (const char* named = std::getenv("GUMPTION_WORDNET"); named != nullptr && *named != '\0') return fs::path(named);
  for (const char* usual : {"/usr/share/wordnet", "/usr/local/share/wordnet", "/usr/local/WordNet-3.0/dict",
                            "/opt/homebrew/opt/wordnet/dict"}) {
    std::error_code ignored;
    if (fs::exists(fs::path(usual) / "data.noun", ignored)) return fs::path(usual);
  }
  return std::nullopt;
}

WordNet WordNet::open() {
  const auto folder = find_folder();
  if (!folder) {
    throw UserError(
        "WordNet's files are not on this machine. Install Debian's wordnet-base, or set GUMPTION_WORDNET to the folder "
        "with index.noun and the others.");
  }
  return WordNet(*folder);
}

std::vector<SynsetId> WordNet::senses(std::string_view lemma, PartOfSpeech part) const {
  const SortedFile& index = files_->of(part).index;
  std::vector<SynsetId> senses;
  const std::string key = to_key(lemma);
  const std::string_view line = key.empty() ? std::string_view() : index.find(key);
  if (line.empty()) return senses;
  Fields fields(index, line);
  fields.text("a lemma");
  fields.part("a part of speech");
  const std::uint32_t count = fields.number("a number of senses");
  fields.skip(fields.number("a number of pointer kinds"), "a pointer kind");
  fields.skip(2, "sense counts");
  for (std::uint32_t i = 0; i < count; ++i) senses.push_back({part, fields.number("a synset's position")});
  return senses;
}

Synset WordNet::synset(SynsetId id) const {
  const SortedFile& data = files_->of(id.part).data;
  const std::string_view all = data.bytes();
  const std::string_view rest = id.offset < all.size() ? all.substr(id.offset) : std::string_view();
  const std::string_view line = rest.substr(0, rest.find('\n'));
  if (!line.starts_with(fmt::format("{:08} ", id.offset))) {
    throw UserError(Complaint{data.name(), 0, fmt::format("a synset at byte {}", id.offset),
                              in_quotes(line.substr(0, 20)),
                              "The WordNet files are broken or of different versions; install them again"});
  }
  const std::size_t bar = line.find(" | ");
  Synset synset;
  synset.id = id;
  if (bar != std::string_view::npos) synset.gloss = trim(line.substr(bar + 3));
  Fields fields(data, line.substr(0, bar));
  fields.skip(2, "a synset's head");
  fields.part("a part of speech");
  const std::uint32_t words = fields.number("a number of words", 16);
  for (std::uint32_t i = 0; i < words; ++i) {
    const std::string_view word = fields.text("a word");
    synset.lemmas.push_back(to_phrase(word.substr(0, word.find('('))));  // without an adjective's "(p)", "(a)", "(ip)"
    fields.text("a lexical number");
  }
  const std::uint32_t pointers = fields.number("a number of pointers");
  for (std::uint32_t i = 0; i < pointers; ++i) {
    const auto relation = relation_of_symbol(fields.text("a pointer"));
    const std::uint32_t offset = fields.number("a synset's position");
    const PartOfSpeech part = fields.part("a part of speech");
    fields.text("a pointer's ends");
    if (relation) synset.pointers.push_back({*relation, {part, offset}});
  }
  return synset;
}

std::vector<std::string> WordNet::lemmas(std::string_view word, PartOfSpeech part, Morphology morphology) const {
  std::vector<std::string> phrases;
  const std::string key = to_key(word);
  if (key.empty()) return phrases;
  const auto keys =
      morphology == Morphology::kNltk ? nltk_base_forms(*files_, key, part) : wordnet_base_forms(*files_, key, part);
  for (const auto& base : keys) add_once(phrases, to_phrase(base));
  return phrases;
}

std::vector<std::string> WordNet::synonyms(std::string_view lemma, PartOfSpeech part) const {
  std::vector<std::string> result;
  const std::string self = to_phrase(to_key(lemma));
  for (const SynsetId& sense : senses(lemma, part)) {
    for (const auto& member : synset(sense).lemmas) {
      std::string lowered = to_lower(member);
      if (lowered != self) add_once(result, std::move(lowered));
    }
  }
  return result;
}

std::vector<std::string> WordNet::related(std::string_view lemma, PartOfSpeech part, Relation relation) const {
  std::vector<std::string> result;
  for (const SynsetId& sense : senses(lemma, part)) {
    for (const SynsetPointer& pointer : synset(sense).pointers) {
      if (pointer.relation != relation) continue;
      for (const auto& member : synset(pointer.target).lemmas) add_once(result, to_lower(member));
    }
  }
  return result;
}

}  // namespace gumption
