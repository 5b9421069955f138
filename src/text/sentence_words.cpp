#include "gumption/text/sentence_words.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

namespace gumption {

namespace {

// All lists are sorted and in lower case.
constexpr auto kTitles = std::to_array<std::string_view>({
    "adm", "bro", "capt",  "cmdr", "col",  "cpl",    "dr",    "drs",  "fr",  "gen",  "genl",
    "gov", "hon", "lieut", "lt",   "maj",  "messrs", "mgr",   "mlle", "mm",  "mme",  "mr",
    "mrs", "ms",  "prof",  "rev",  "revd", "sen",    "sergt", "sgt",  "sra", "srta", "supt",
});
static_assert(std::is_sorted(kTitles.begin(), kTitles.end()));

constexpr auto kLatin = std::to_array<std::string_view>({
    "ca",
    "cf",
    "e.g",
    "eg",
    "i.e",
    "ie",
    "viz",
    "vs",
});
static_assert(std::is_sorted(kLatin.begin(), kLatin.end()));

constexpr auto kNumbered = std::to_array<std::string_view>({
    "art",
    "bk",
    "ch",
    "chap",
    "fig",
    "figs",
    "lib",
    "no",
    "nos",
    "p",
    "par",
    "pp",
    "pt",
    "sec",
    "sect",
    "vol",
    "vols",
});
static_assert(std::is_sorted(kNumbered.begin(), kNumbered.end()));

constexpr auto kMonths = std::to_array<std::string_view>({
    "apr",
    "aug",
    "dec",
    "feb",
    "fri",
    "jan",
    "jul",
    "jun",
    "mar",
    "mon",
    "nov",
    "oct",
    "sep",
    "sept",
    "thurs",
    "tues",
    "wed",
});
static_assert(std::is_sorted(kMonths.begin(), kMonths.end()));

constexpr auto kPossibleEnds = std::to_array<std::string_view>({
    "ave",
    "blvd",
    "bros",
    "co",
    "corp",
    "dept",
    "esq",
    "ft",
    "inc",
    "jr",
    "ltd",
    "mt",
    "sq",
    "sr",
    "st",
    "ste",
    "univ",
});
static_assert(std::is_sorted(kPossibleEnds.begin(), kPossibleEnds.end()));

constexpr auto kStarters = std::to_array<std::string_view>({
    "a",      "about",   "after",   "ah",    "all",    "although",  "an",         "and",       "are",       "as",
    "at",     "because", "before",  "both",  "but",    "by",        "can",        "could",     "did",       "do",
    "does",   "during",  "each",    "even",  "every",  "everybody", "everything", "for",       "from",      "had",
    "has",    "have",    "he",      "her",   "here",   "his",       "how",        "however",   "i",         "if",
    "in",     "is",      "it",      "its",   "let",    "many",      "may",        "meanwhile", "might",     "most",
    "must",   "my",      "never",   "no",    "nobody", "nor",       "not",        "nothing",   "now",       "oh",
    "on",     "once",    "one",     "only",  "or",     "our",       "over",       "perhaps",   "presently", "shall",
    "she",    "should",  "since",   "so",    "some",   "somebody",  "something",  "still",     "such",      "suddenly",
    "that",   "the",     "their",   "then",  "there",  "therefore", "these",      "they",      "this",      "those",
    "though", "through", "thus",    "to",    "under",  "until",     "upon",       "was",       "we",        "well",
    "were",   "what",    "when",    "where", "which",  "while",     "who",        "whom",      "whose",     "why",
    "will",   "with",    "without", "would", "yes",    "yet",       "you",        "your",
});
static_assert(std::is_sorted(kStarters.begin(), kStarters.end()));

constexpr auto kSpeechVerbs = std::to_array<std::string_view>({
    "added",       "adds",       "answered",  "answers",   "asked",    "asks",      "assented",  "begged",
    "bellowed",    "commanded",  "continued", "cried",     "cries",    "declared",  "demanded",  "demands",
    "echoed",      "ejaculated", "enquired",  "exclaimed", "exclaims", "faltered",  "gasped",    "groaned",
    "growled",     "grunted",    "hissed",    "implored",  "inquired", "inquires",  "insisted",  "interposed",
    "interrupted", "moaned",     "mumbled",   "murmured",  "murmurs",  "muttered",  "mutters",   "objected",
    "observed",    "observes",   "ordered",   "panted",    "pleaded",  "protested", "queried",   "questioned",
    "rejoined",    "remarked",   "remarks",   "repeated",  "repeats",  "replied",   "replies",   "responded",
    "retorted",    "roared",     "said",      "say",       "says",     "screamed",  "shouted",   "shouts",
    "shrieked",    "snapped",    "snarled",   "sneered",   "sobbed",   "stammered", "suggested", "thought",
    "urged",       "whispered",  "whispers",  "wondered",  "yelled",
});
static_assert(std::is_sorted(kSpeechVerbs.begin(), kSpeechVerbs.end()));

constexpr std::size_t kLongestListed = 12;

bool is_upper(char letter) { return letter >= 'A' && letter <= 'Z'; }

bool is_ascii_letter(char letter) { return is_upper(letter) || (letter >= 'a' && letter <= 'z'); }

/// Whether the lower-cased word is in a list.
bool is_in(std::string_view word, std::span<const std::string_view> list) {
  if (word.size() > kLongestListed) return false;
  std::array<char, kLongestListed> lowered{};
  std::transform(word.begin(), word.end(), lowered.begin(),
                 [](char letter) { return is_upper(letter) ? static_cast<char>(letter - 'A' + 'a') : letter; });
  return std::binary_search(list.begin(), list.end(), std::string_view(lowered.data(), word.size()));
}

/// U.S, D.C, M.P, Ph.D: capitals, each with at most one small letter, between periods.
bool is_acronym(std::string_view word) {
  if (word.find('.') == std::string_view::npos) return false;
  std::size_t letters = 0;
  for (const char letter : word) {
    if (letter == '.') {
      if (letters == 0) return false;
      letters = 0;
      continue;
    }
    if (!is_ascii_letter(letter) || is_upper(letter) != (letters == 0) || ++letters > 2) return false;
  }
  return true;
}

}  // namespace

PeriodKind period_kind(std::string_view word) {
  if (word.empty() || word.size() > kLongestListed) return PeriodKind::kPlain;
  const bool capital = is_upper(word.front());
  if (word.size() == 1 && capital) return PeriodKind::kInitial;
  if (is_in(word, kLatin)) return PeriodKind::kLatin;
  if (is_in(word, kNumbered)) return PeriodKind::kNumbered;
  if (!capital) return PeriodKind::kPlain;
  if (is_in(word, kTitles)) return PeriodKind::kTitle;
  if (is_in(word, kMonths)) return PeriodKind::kMonth;
  if (is_in(word, kPossibleEnds)) return PeriodKind::kPossibleEnd;
  return is_acronym(word) ? PeriodKind::kInitial : PeriodKind::kPlain;
}

bool begins_sentences(std::string_view word) { return is_in(word, kStarters); }

bool is_speech_verb(std::string_view word) { return is_in(word, kSpeechVerbs); }

bool is_roman_number(std::string_view word) {
  if (word.empty() || word == "I") return false;
  return word.find_first_not_of("IVXLC") == std::string_view::npos;
}

}  // namespace gumption
