#pragma once

// CODAH: tab-separated, no header: category letters, prompt, four endings, label (0 to 3). The prompt is the
// context; there is no question. Rows have no id.

#include "gumption/data/question_format.h"

namespace gumption {

const QuestionFormat& codah_format();

}  // namespace gumption
