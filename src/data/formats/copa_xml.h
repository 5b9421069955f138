#pragma once

// COPA as its authors distribute it: XML with item@id, @asks-for, @most-plausible-alternative (1 or 2), and p, a1,
// a2. The premise is the context; there is no question.

#include "gumption/data/question_format.h"

namespace gumption {

const QuestionFormat& copa_xml_format();

}  // namespace gumption
