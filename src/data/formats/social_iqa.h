#pragma once

// Social IQA, JSON Lines: context, question, answerA to answerC, with labels 1 to 3 in STEM-labels.lst beside it, or
// a member "correct" (A, B or C) in each row. Rows have no id.

#include "gumption/data/question_format.h"

namespace gumption {

const QuestionFormat& social_iqa_format();

}  // namespace gumption
