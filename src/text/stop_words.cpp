#include "gumption/text/stop_words.h"

#include <algorithm>
#include <array>

namespace gumption {

namespace {

// Chosen by word class for this project; the single letters and stubs are what contractions leave behind where a
// tokeniser has cut them at the apostrophe.
constexpr auto kStopWords = std::to_array<std::string_view>({
    "a",        "about",     "above",      "across",    "after",    "again",      "against",    "ain't",
    "all",      "almost",    "along",      "already",   "also",     "although",   "always",     "am",
    "among",    "amongst",   "an",         "and",       "another",  "any",        "anybody",    "anyone",
    "anything", "are",       "aren't",     "around",    "as",       "at",         "be",         "because",
    "been",     "before",    "behind",     "being",     "below",    "beneath",    "beside",     "besides",
    "between",  "beyond",    "both",       "but",       "by",       "can",        "can't",      "cannot",
    "could",    "couldn't",  "d",          "despite",   "did",      "didn't",     "do",         "does",
    "doesn't",  "doing",     "don't",      "done",      "down",     "during",     "each",       "either",
    "else",     "enough",    "even",       "ever",      "every",    "everybody",  "everyone",   "everything",
    "except",   "few",       "for",        "from",      "had",      "hadn't",     "has",        "hasn't",
    "have",     "haven't",   "having",     "he",        "he'd",     "he'll",      "he's",       "hence",
    "her",      "here",      "here's",     "hers",      "herself",  "him",        "himself",    "his",
    "how",      "how's",     "however",    "i",         "i'd",      "i'll",       "i'm",        "i've",
    "if",       "in",        "inside",     "into",      "is",       "isn't",      "it",         "it'd",
    "it'll",    "it's",      "its",        "itself",    "just",     "less",       "let's",      "ll",
    "m",        "many",      "may",        "mayn't",    "me",       "merely",     "might",      "mightn't",
    "mine",     "more",      "most",       "much",      "must",     "mustn't",    "my",         "myself",
    "near",     "needn't",   "neither",    "never",     "no",       "nobody",     "none",       "nor",
    "not",      "nothing",   "now",        "of",        "off",      "often",      "on",         "once",
    "one",      "oneself",   "only",       "onto",      "or",       "other",      "others",     "ought",
    "oughtn't", "our",       "ours",       "ourselves", "out",      "outside",    "over",       "own",
    "past",     "per",       "perhaps",    "quite",     "rather",   "re",         "really",     "s",
    "same",     "several",   "shall",      "shan't",    "she",      "she'd",      "she'll",     "she's",
    "should",   "shouldn't", "since",      "so",        "some",     "somebody",   "someone",    "something",
    "soon",     "still",     "such",       "t",         "than",     "that",       "that'd",     "that'll",
    "that's",   "the",       "their",      "theirs",    "them",     "themselves", "then",       "there",
    "there'd",  "there'll",  "there's",    "therefore", "these",    "they",       "they'd",     "they'll",
    "they're",  "they've",   "this",       "those",     "though",   "through",    "throughout", "thus",
    "till",     "to",        "too",        "toward",    "towards",  "under",      "unless",     "until",
    "unto",     "up",        "upon",       "us",        "ve",       "very",       "via",        "was",
    "wasn't",   "we",        "we'd",       "we'll",     "we're",    "we've",      "were",       "weren't",
    "what",     "what'll",   "what're",    "what's",    "whatever", "when",       "when's",     "whenever",
    "where",    "where's",   "whereas",    "wherever",  "whether",  "which",      "whichever",  "while",
    "who",      "who'd",     "who'll",     "who's",     "who've",   "whoever",    "whom",       "whose",
    "why",      "why's",     "will",       "with",      "within",   "without",    "won't",      "would",
    "wouldn't", "yet",       "you",        "you'd",     "you'll",   "you're",     "you've",     "your",
    "yours",    "yourself",  "yourselves",
});
static_assert(std::is_sorted(kStopWords.begin(), kStopWords.end()));

}  // namespace

std::span<const std::string_view> stop_words() { return kStopWords; }

bool is_stop_word(std::string_view word) { return std::binary_search(kStopWords.begin(), kStopWords.end(), word); }

}  // namespace gumption
