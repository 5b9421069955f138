#pragma once

// RACE: a folder of JSON files (in folders of any depth), each with article, questions, options (four for each
// question), answers (A to D) and id. The article is the context; folders' names are the category (middle, high) and
// the split (train, dev, test).

#include "gumption/data/question_format.h"

namespace gumption {

const QuestionFormat& race_format();

}  // namespace gumption
