#pragma once

// SWAG: CSV with a header: an unnamed number, video-id, fold-ind, startphrase, sent1, sent2, gold-source, ending0 to
// ending3, label (absent in its test set). sent1 is the context; a choice is sent2 with an ending.

#include "gumption/data/question_format.h"

namespace gumption {

const QuestionFormat& swag_format();

}  // namespace gumption
