#pragma once

// The Winograd Schema Challenge as WSCollection.xml: schema with text (txt1, pron, txt2), answers and correctAnswer.
// The text before the pronoun is the context; a choice is a candidate in the pronoun's place with the text behind it.

#include "gumption/data/question_format.h"

namespace gumption {

const QuestionFormat& wsc_xml_format();

}  // namespace gumption
