#pragma once

// CommonsenseQA, JSON Lines: id, question {stem, choices [{label, text}], question_concept}, answerKey (a letter).
// There is no context.

#include "gumption/data/question_format.h"

namespace gumption {

const QuestionFormat& commonsense_qa_format();

}  // namespace gumption
