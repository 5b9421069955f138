#pragma once

// Cosmos QA: a table (CSV with a header) or JSON Lines, with id, context, question, answer0 to answer3 and label (0
// to 3).

#include "gumption/data/question_format.h"

namespace gumption {

const QuestionFormat& cosmos_csv_format();
const QuestionFormat& cosmos_jsonl_format();

}  // namespace gumption
