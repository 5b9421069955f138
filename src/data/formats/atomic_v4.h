#pragma once

// ATOMIC v4: CSV with event, nine columns of JSON lists (oEffect to xWant), prefix (a JSON list) and split.

#include "gumption/data/event_format.h"

namespace gumption {

const EventFormat& atomic_v4_format();

}  // namespace gumption
