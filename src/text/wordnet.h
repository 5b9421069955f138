#pragma once

// WordNet's database files: senses of words, how senses are related, and the base forms of inflected words.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gumption {

enum class PartOfSpeech { kNoun, kVerb, kAdjective, kAdverb };

/// The kinds of pointer between senses that we read. kHypernym and kHyponym include those of instances.
enum class Relation { kHypernym, kHyponym, kEntailment, kCause, kSimilar, kAntonym };

/// How base forms are found where the exception lists have none.
enum class Morphology {
  kWordNet,  // the first rule that gives a known word, and each part of a collocation by itself, as WordNet's program
  kNltk,  // every rule that gives a known word, applied again to what they gave until one does, as NLTK's corpus reader
};

/// A sense: its byte position in the data file of its part of speech.
struct SynsetId {
  PartOfSpeech part = PartOfSpeech::kNoun;
  std::uint32_t offset = 0;
  auto operator<=>(const SynsetId&) const = default;
};

struct SynsetPointer {
  Relation relation = Relation::kHypernym;
  SynsetId target;
};

struct Synset {
  SynsetId id;
  std::vector<std::string> lemmas;      // as written, with spaces ("hot dog"), most usual first
  std::vector<SynsetPointer> pointers;  // of the kinds above, in the file's order
  std::string gloss;                    // definition and examples
};

/// WordNet in one folder, mapped, not read in. Words may be given in any case and with spaces or underscores, but
/// otherwise spelled as WordNet does; what comes back is in the order of its sense numbers, without repetition.
/// Thread-safe. Every function throws a UserError with file and position where the files are broken.
class WordNet {
 public:
  /// UserError unless the folder holds index.*, data.* and *.exc of all four parts of speech.
  explicit WordNet(const std::filesystem::path& folder);
  WordNet(WordNet&&) noexcept;
  WordNet& operator=(WordNet&&) noexcept;
  ~WordNet();

  /// The one that GUMPTION_WORDNET names, or the first of the usual places. UserError, with what to install, where
  /// there is none.
  static WordNet open();

  /// Where open() would look and find it.
  static std::optional<std::filesystem::path> find_folder();

  /// The senses of a base form, most frequent first; empty where it isn't in WordNet.
  std::vector<SynsetId> senses(std::string_view lemma, PartOfSpeech part) const;

  /// UserError when no synset stands at that place.
  Synset synset(SynsetId id) const;

  /// Base forms of a word that WordNet knows as that part of speech, lower-cased, with spaces; the word itself first
  /// where it is one.
  std::vector<std::string> lemmas(std::string_view word, PartOfSpeech part,
                                  Morphology morphology = Morphology::kWordNet) const;

  /// All members of all senses of a base form, lower-cased, without the form itself.
  std::vector<std::string> synonyms(std::string_view lemma, PartOfSpeech part) const;

  /// All members of the senses that a base form's senses point to, lower-cased. For antonyms, members of the whole
  /// opposite sense.
  std::vector<std::string> related(std::string_view lemma, PartOfSpeech part, Relation relation) const;

 private:
  struct Files;
  std::unique_ptr<const Files> files_;
};

}  // namespace gumption
