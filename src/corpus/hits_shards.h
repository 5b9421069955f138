#pragma once

#include <memory>
#include <span>
#include <string>

#include "gumption/corpus/hits.h"

namespace gumption {

/// Opens one hit index or several, searched as one. Each is a folder that build_hit_index() made, or HOST:PORT of an
/// xapian-tcpsrv that serves one. All must have the same kind of documents. A server that stays silent for
/// `timeout_seconds` counts as stopped. A connection that broke is made anew once; a shard that can't be reached, now
/// or later, is a UserError: there are no answers from the others alone.
std::unique_ptr<HitCounter> open_hit_shards(std::span<const std::string> shards, double timeout_seconds);

}  // namespace gumption
