#pragma once

// The words that the treebank lexer treats specially. Found by asking the original about every short word of a large
// English vocabulary, before a capital, a small letter, a digit and a line end.

#include <string_view>

namespace gumption {

enum class TreebankPeriod {
  kSeparate,    // the period is a token of its own
  kKept,        // Mr.
  kKeptTwice,   // etc.: kept, and a token of its own as well before a capital or at the end
  kBeforeDigit  // No.: kept before a number only
};

/// How the period behind a word of letters is treated; initials are not asked for here.
TreebankPeriod treebank_period(std::string_view word);

/// Whether a capitalised word behind "U.S." begins a new sentence.
bool starts_treebank_sentence(std::string_view word);

/// Where "cannot", "gonna" and their kin are cut; 0 for other words.
std::size_t treebank_cut(std::string_view word);

/// Words with an apostrophe that are not cut: "ev'ry", "s'mores".
bool is_apostrophe_word(std::string_view word);

}  // namespace gumption
