#pragma once

// How inflected words are led back to base forms, apart from where known words come from. Used by WordNet; words here
// are keys: lower case, with underscores.

#include <string>
#include <vector>

#include "gumption/text/wordnet.h"

namespace gumption {

/// What the rules ask of a database.
class WordBase {
 public:
  WordBase() = default;
  WordBase(const WordBase&) = delete;
  WordBase& operator=(const WordBase&) = delete;
  virtual ~WordBase() = default;
  virtual bool is_known(const std::string& key, PartOfSpeech part) const = 0;

  /// The base forms that the exception list gives for an inflected one.
  virtual std::vector<std::string> exceptions(const std::string& key, PartOfSpeech part) const = 0;
};

/// The word itself where it is known, then what Morphology::kWordNet finds.
std::vector<std::string> wordnet_base_forms(const WordBase& base, const std::string& word, PartOfSpeech part);

/// The same by Morphology::kNltk.
std::vector<std::string> nltk_base_forms(const WordBase& base, const std::string& word, PartOfSpeech part);

}  // namespace gumption
