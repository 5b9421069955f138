#pragma once

// Pronoun questions (Winograd schemas, definite pronouns) as multiple choice: the text before the pronoun is the
// context, and each choice is a candidate in the pronoun's place with the rest of the text.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gumption/data/question.h"

namespace gumption {

/// A text around its pronoun. White space is squeezed; `gap_before` and `gap_after` say whether there was any next to
/// the pronoun ("(it's": none on either side).
struct PronounText {
  std::string before;
  std::string pronoun;
  std::string after;
  bool gap_before = true;
  bool gap_after = true;

  bool operator==(const PronounText&) const = default;
};

/// Byte position of the pronoun in a sentence: where it stands alone as a word, and among several the first behind both
/// candidates, else the first. Nothing where it doesn't stand at all.
std::optional<std::size_t> find_pronoun(std::string_view sentence, std::string_view pronoun,
                                        const std::vector<std::string>& candidates);

/// Cuts a sentence at `position`.
PronounText cut_at_pronoun(std::string_view sentence, std::size_t position, std::string_view pronoun);

/// Fills in context, choices and the notes pronoun, candidates and gaps.
void fill_pronoun_question(const PronounText& text, const std::vector<std::string>& candidates, Question& question);

/// What fill_pronoun_question() was given.
struct PronounParts {
  PronounText text;
  std::vector<std::string> candidates;
};

/// Nothing where the question has no such notes or they don't fit its choices.
std::optional<PronounParts> pronoun_parts(const Question& question);

}  // namespace gumption
