#pragma once

// Pronoun questions as blocks of text: the sentence, the pronoun, the candidates with a comma between them, the
// right one, and an empty line. Winograd schemas show the pronoun as [MASK] (wsc-text); Rahman and Ng's definite
// pronouns stand as they are (dpr). The text before the pronoun is the context; a choice is a candidate in the
// pronoun's place with the text behind it.

#include "gumption/data/question_format.h"

namespace gumption {

const QuestionFormat& wsc_text_format();
const QuestionFormat& dpr_format();

}  // namespace gumption
