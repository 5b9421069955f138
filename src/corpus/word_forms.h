#pragma once

// What counts as the same word: each spelling by itself, or all that share a stem or a base form.

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "gumption/base/options.h"
#include "gumption/text/stems.h"
#include "gumption/text/wordnet.h"

namespace gumption {

enum class WordForm {
  kWritten,  // lower-cased, nothing else
  kStem,     // Porter's English stem ("Porter 2")
  kLemma,    // WordNet's base form
};

/// Which words are counted and what makes two of them the same. Positions count all words in any case.
struct WordOptions {
  WordForm form = WordForm::kWritten;
  bool drop_stop_words = false;
  std::uint64_t min_count = 1;

  bool operator==(const WordOptions&) const = default;
};

OptionSet describe(WordOptions& options);

/// The form of words. Not thread-safe; each thread makes its own.
class WordFormer {
 public:
  /// UserError where stems aren't built in or WordNet isn't installed.
  explicit WordFormer(WordForm form);

  /// Of a lower-cased word, never empty. Without a part of speech to go by, a lemma is the first base form that differs
  /// from the word, of a verb, a noun, an adjective or an adverb, in this order; the word itself where there is none.
  std::string form_of(std::string_view word);

 private:
  std::string lemma_of(std::string_view word) const;

  std::optional<Stemmer> stemmer_;
  std::optional<WordNet> wordnet_;
};

}  // namespace gumption
