#pragma once

#include <span>
#include <string_view>

namespace gumption {

/// The English words that say little by themselves: articles, pronouns, prepositions, conjunctions, auxiliaries with
/// their contractions, and the commonest adverbs. Lower case, sorted by byte.
std::span<const std::string_view> stop_words();

/// Whether a lower-cased word, as for_each_word() gives it, is in that list. Thread-safe.
bool is_stop_word(std::string_view word);

}  // namespace gumption
