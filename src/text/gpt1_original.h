#pragma once

// Text fixing and word splitting as GPT-1's original code did it with ftfy 4 and spaCy 2, without either. What is done:
//   - fixing: curly quotes straightened, Latin ligatures and full-width forms replaced, line ends made \n, control
//     characters dropped, canonical composition (ftfy's fix_text);
//   - standardising: dashes to -, the ellipsis to ..., spaces around punctuation, white space squeezed, a line end as a
//     word of its own (text_standardize of the original code);
//   - words: cut at white space; then, as spaCy's English rules do, leading and trailing punctuation and currency
//   signs,
//     contractions (do n't, it 's), inner ellipses, and the full stop where it isn't part of an abbreviation.
// What is only near: ftfy's repair of wrongly decoded text and of HTML entities is left out; spaCy's long lists of
// abbreviations, emoticons, units and web addresses are represented by the common ones.

#include <string_view>
#include <vector>

#include "gumption/text/bert_text.h"

namespace gumption {

/// Lower-cased points, with their places in the text, and the words among them.
struct Gpt1Text {
  std::vector<AlignedPoint> points;
  std::vector<PointSpan> words;
};

/// `text` must be valid UTF-8.
Gpt1Text gpt1_original_text(std::string_view text);

}  // namespace gumption
