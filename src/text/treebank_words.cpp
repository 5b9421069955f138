#include "gumption/text/treebank_words.h"

#include <algorithm>
#include <array>
#include <span>

namespace gumption {

namespace {

constexpr auto kKeptTwice = std::to_array<std::string_view>({
    "al",   "ala",  "apr",  "ariz",  "assn", "aug",  "bancorp", "bhd", "bldg", "blvd", "bros", "calif", "co",
    "colo", "conn", "corp", "cos",   "ct",   "dak",  "dec",     "esq", "est",  "etc",  "ext",  "feb",   "fla",
    "fri",  "ga",   "inc",  "ind",   "intl", "jan",  "jr",      "jul", "jun",  "kan",  "kans", "ky",    "ltd",
    "mar",  "md",   "mich", "minn",  "mo",   "mon",  "mont",    "neb", "nev",  "nov",  "oct",  "okla",  "penn",
    "plc",  "pte",  "ptes", "pty",   "ptys", "rd",   "rt",      "sep", "sept", "seq",  "sq",   "sr",    "sys",
    "tel",  "tenn", "thu",  "thurs", "tue",  "tues", "univ",    "va",  "vt",   "wed",  "wis",  "wisc",  "wyo",
});
static_assert(std::is_sorted(kKeptTwice.begin(), kKeptTwice.end()));

// The same, but not in lower case, where most of them are words.
constexpr auto kKeptTwiceCapital = std::to_array<std::string_view>({
    "ark",
    "az",
    "del",
    "ill",
    "la",
    "mass",
    "miss",
    "ore",
    "pa",
    "tex",
    "wash",
});
static_assert(std::is_sorted(kKeptTwiceCapital.begin(), kKeptTwiceCapital.end()));

constexpr auto kKept = std::to_array<std::string_view>({
    "adj",  "adm",   "adv",  "alex",  "assoc", "asst", "atty",   "attys", "ave",  "brig", "capt", "cf",  "cie",  "cmdr",
    "col",  "comdr", "cpl",  "dept",  "det",   "dr",   "drs",    "elec",  "ens",  "ft",   "gen",  "gov", "govs", "hon",
    "insp", "invt",  "jos",  "lieut", "lt",    "maj",  "messrs", "mfg",   "mlle", "mme",  "mr",   "mrs", "ms",   "msgr",
    "mt",   "mtg",   "natl", "pfc",   "ph",    "pres", "prof",   "profs", "pvt",  "rep",  "reps", "rev", "sen",  "sens",
    "sfc",  "sgt",   "spc",  "st",    "ste",   "supt", "supts",  "treas", "vs",   "wm",
});
static_assert(std::is_sorted(kKept.begin(), kKept.end()));

constexpr auto kBeforeDigit = std::to_array<std::string_view>({
    "art",
    "ca",
    "fig",
    "figs",
    "no",
    "nos",
    "op",
    "pp",
    "prop",
});
static_assert(std::is_sorted(kBeforeDigit.begin(), kBeforeDigit.end()));

constexpr auto kStarters = std::to_array<std::string_view>({
    "a",     "about",   "according", "after", "an", "as",   "at",   "but",   "earlier", "he",    "her",
    "here",  "however", "if",        "in",    "it", "last", "many", "more",  "now",     "once",  "one",
    "other", "our",     "she",       "since", "so", "some", "such", "that",  "the",     "their", "then",
    "there", "these",   "they",      "this",  "we", "what", "when", "while", "yet",     "you",
});
static_assert(std::is_sorted(kStarters.begin(), kStarters.end()));

constexpr auto kApostropheWords = std::to_array<std::string_view>({
    "c'est",
    "c'mon",
    "cap'n",
    "e'er",
    "ev'ry",
    "li'l",
    "nat'l",
    "nor'easter",
    "o'o",
    "s'mores",
});
static_assert(std::is_sorted(kApostropheWords.begin(), kApostropheWords.end()));

constexpr std::size_t kLongestListed = 12;

bool is_upper(char letter) { return letter >= 'A' && letter <= 'Z'; }

/// Whether the lower-cased word is in a list.
bool is_in(std::string_view word, std::span<const std::string_view> list) {
  if (word.size() > kLongestListed) return false;
  std::array<char, kLongestListed> lowered{};
  std::transform(word.begin(), word.end(), lowered.begin(),
                 [](char letter) { return is_upper(letter) ? static_cast<char>(letter - 'A' + 'a') : letter; });
  return std::binary_search(list.begin(), list.end(), std::string_view(lowered.data(), word.size()));
}

}  // namespace

TreebankPeriod treebank_period(std::string_view word) {
  if (word.empty()) return TreebankPeriod::kSeparate;
  if (is_in(word, kKept)) return TreebankPeriod::kKept;
  if (is_in(word, kKeptTwice)) return TreebankPeriod::kKeptTwice;
  if (is_upper(word.front()) && is_in(word, kKeptTwiceCapital)) return TreebankPeriod::kKeptTwice;
  return is_in(word, kBeforeDigit) ? TreebankPeriod::kBeforeDigit : TreebankPeriod::kSeparate;
}

bool starts_treebank_sentence(std::string_view word) {
  return !word.empty() && is_upper(word.front()) && is_in(word, kStarters);
}

std::size_t treebank_cut(std::string_view word) {
  constexpr auto kCut = std::to_array<std::string_view>({"cannot", "gimme", "gonna", "gotta", "lemme", "wanna"});
  return is_in(word, kCut) ? 3 : 0;
}

bool is_apostrophe_word(std::string_view word) { return is_in(word, kApostropheWords); }

}  // namespace gumption
