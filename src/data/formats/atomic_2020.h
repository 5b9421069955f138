#pragma once

// ATOMIC-2020: tab-separated, no header: "event @@ relation" and its inferences with "| " between them, or event,
// relation and one inference in three columns. Written in the first way.

#include "gumption/data/event_format.h"

namespace gumption {

const EventFormat& atomic_2020_format();

}  // namespace gumption
