#include "gumption/text/wordnet_rules.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>

namespace gumption {

namespace {

struct Rule {
  std::string_view suffix;
  std::string_view ending;
};

// The detachment rules of WordNet's manual page morphy(7), in its order.
constexpr std::array kNounRules = {Rule{"s", ""},      Rule{"ses", "s"},   Rule{"xes", "x"},   Rule{"zes", "z"},
                                   Rule{"ches", "ch"}, Rule{"shes", "sh"}, Rule{"men", "man"}, Rule{"ies", "y"}};
constexpr std::array kVerbRules = {Rule{"s", ""},   Rule{"ies", "y"}, Rule{"es", "e"},  Rule{"es", ""},
                                   Rule{"ed", "e"}, Rule{"ed", ""},   Rule{"ing", "e"}, Rule{"ing", ""}};
constexpr std::array kAdjectiveRules = {Rule{"er", ""}, Rule{"est", ""}, Rule{"er", "e"}, Rule{"est", "e"}};

// NLTK has one more for nouns.
constexpr Rule kLeaves = {"ves", "f"};

std::span<const Rule> rules_of(PartOfSpeech part) {
  switch (part) {
    case PartOfSpeech::kNoun:
      return kNounRules;
    case PartOfSpeech::kVerb:
      return kVerbRules;
    case PartOfSpeech::kAdjective:
      return kAdjectiveRules;
    case PartOfSpeech::kAdverb:
      break;
  }
  return {};
}

std::optional<std::string> detach(const Rule& rule, std::string_view word) {
  if (!word.ends_with(rule.suffix)) return std::nullopt;
  std::string result(word.substr(0, word.size() - rule.suffix.size()));
  result += rule.ending;
  return result;
}

/// The base form of one word, where it has another than itself: an exception, or what the first fitting rule gives.
std::optional<std::string> base_of_word(const WordBase& base, const std::string& word, PartOfSpeech part) {
  const auto exceptions = base.exceptions(word, part);
  if (!exceptions.empty()) return exceptions.front();
  std::string_view stem = word;
  std::string_view end;
  if (part == PartOfSpeech::kNoun) {
    if (stem.ends_with("ful")) {  // boxesful: the plural stands inside
      end = "ful";
      stem.remove_suffix(end.size());
    } else if (stem.ends_with("ss") || stem.size() <= 2) {
      return std::nullopt;
    }
  }
  for (const Rule& rule : rules_of(part)) {
    const auto candidate = detach(rule, stem);
    if (candidate && !candidate->empty() && base.is_known(*candidate, part)) return *candidate + std::string(end);
  }
  return std::nullopt;
}

/// A collocation with each of its words led back by itself ("attorneys_general"), where that is known.
std::optional<std::string> base_of_parts(const WordBase& base, const std::string& word, PartOfSpeech part) {
  std::string joined;
  std::size_t begin = 0;
  while (begin <= word.size()) {
    const std::size_t end = std::min(word.find_first_of("_-", begin), word.size());
    const std::string piece = word.substr(begin, end - begin);
    joined += base_of_word(base, piece, part).value_or(piece);
    if (end < word.size()) joined += word[end];
    begin = end + 1;
  }
  if (joined == word || !base.is_known(joined, part)) return std::nullopt;
  return joined;
}

/// A verb with a particle or object ("taking_off", "asking_for_it"): its verb led back, and the last word as a noun.
std::optional<std::string> base_of_phrasal_verb(const WordBase& base, const std::string& word) {
  const std::size_t first = word.find('_');
  const std::size_t last = word.rfind('_');
  if (first == std::string::npos) return std::nullopt;
  const std::string verb = word.substr(0, first);
  const auto verb_base = base_of_word(base, verb, PartOfSpeech::kVerb);
  const auto noun_base = base_of_word(base, word.substr(last + 1), PartOfSpeech::kNoun);
  for (const std::string& start : {verb_base.value_or(verb), verb}) {
    std::string candidate = start + word.substr(first);
    if (candidate != word && base.is_known(candidate, PartOfSpeech::kVerb)) return candidate;
    if (!noun_base || last == first) continue;
    candidate = start + word.substr(first, last - first) + "_" + *noun_base;
    if (base.is_known(candidate, PartOfSpeech::kVerb)) return candidate;
  }
  return std::nullopt;
}

void add_known(const WordBase& base, PartOfSpeech part, const std::string& word, std::vector<std::string>& forms) {
  if (base.is_known(word, part) && std::find(forms.begin(), forms.end(), word) == forms.end()) forms.push_back(word);
}

/// Once each, or "seseses…" would double the list at every turn.
void add_new(std::optional<std::string> word, std::vector<std::string>& words) {
  if (word && std::find(words.begin(), words.end(), *word) == words.end()) words.push_back(std::move(*word));
}

}  // namespace

std::vector<std::string> wordnet_base_forms(const WordBase& base, const std::string& word, PartOfSpeech part) {
  std::vector<std::string> forms;
  add_known(base, part, word, forms);
  const auto exceptions = base.exceptions(word, part);
  if (!exceptions.empty()) {
    for (const auto& exception : exceptions) add_known(base, part, exception, forms);
    return forms;
  }
  std::optional<std::string> found = base_of_word(base, word, part);
  if (!found && part == PartOfSpeech::kVerb) found = base_of_phrasal_verb(base, word);
  if (!found) found = base_of_parts(base, word, part);
  if (found) add_known(base, part, *found, forms);
  return forms;
}

std::vector<std::string> nltk_base_forms(const WordBase& base, const std::string& word, PartOfSpeech part) {
  std::vector<std::string> forms;
  add_known(base, part, word, forms);
  const auto exceptions = base.exceptions(word, part);
  if (!exceptions.empty()) {
    for (const auto& exception : exceptions) add_known(base, part, exception, forms);
    return forms;
  }
  std::vector<std::string> candidates = {word};
  bool first = true;
  while (!candidates.empty() && (first || forms.empty())) {
    std::vector<std::string> shorter;
    for (const auto& candidate : candidates) {
      for (const Rule& rule : rules_of(part)) {
        add_new(detach(rule, candidate), shorter);
      }
      if (part == PartOfSpeech::kNoun) add_new(detach(kLeaves, candidate), shorter);
    }
    for (const auto& candidate : shorter) add_known(base, part, candidate, forms);
    candidates = std::move(shorter);
    first = false;
  }
  return forms;
}

}  // namespace gumption
