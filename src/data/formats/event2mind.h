#pragma once

// Event2Mind: CSV with Source, Event, three columns of JSON lists (Xintent, Xemotion, Otheremotion), Xsent and Osent.

#include "gumption/data/event_format.h"

namespace gumption {

const EventFormat& event2mind_format();

}  // namespace gumption
