#pragma once

// gumption's own form, JSON Lines: {"id","context","question","choices":[…],"label","notes":{…}}. Everything but
// the choices may be left out. Members and notes that it doesn't know are kept as notes.

#include "gumption/data/question_format.h"

namespace gumption {

const QuestionFormat& native_format();

}  // namespace gumption
