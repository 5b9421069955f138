#pragma once

// What the sentence splitter knows about English words. All functions are thread-safe.

#include <string_view>

namespace gumption {

/// What a period behind a word means.
enum class PeriodKind {
  kPlain,       // the end of the sentence
  kTitle,       // Mr. Dr.: a name follows
  kLatin,       // e.g. viz.: the sentence goes on
  kNumbered,    // No. vol.: a number follows, or it is no abbreviation
  kMonth,       // Jan.: a number follows, or it is no abbreviation
  kInitial,     // J. or U.S.: a name follows, unless a new sentence plainly begins
  kPossibleEnd  // Co. Jr. St.: likewise
};

/// `word` is what stands directly before the period, with inner periods ("p.m").
PeriodKind period_kind(std::string_view word);

/// Whether a capitalised word is one that begins sentences and hardly ever a name: "The", "But", "She".
bool begins_sentences(std::string_view word);

/// "said", "cried", "asks": the verb of a clause that names a speaker.
bool is_speech_verb(std::string_view word);

/// "XIV", but not the single letter I.
bool is_roman_number(std::string_view word);

}  // namespace gumption
