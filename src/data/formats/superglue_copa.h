#pragma once

// COPA as SuperGLUE has it, JSON Lines: premise, choice1, choice2, question (cause or effect), label (0 or 1), idx.

#include "gumption/data/question_format.h"

namespace gumption {

const QuestionFormat& superglue_copa_format();

}  // namespace gumption
