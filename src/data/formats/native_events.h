#pragma once

// gumption's own form of events, JSON Lines: {"event","source","split","inferences":{dimension:[…]},"notes":{…}}.

#include "gumption/data/event_format.h"

namespace gumption {

const EventFormat& native_events_format();

}  // namespace gumption
