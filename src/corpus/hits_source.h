#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gumption/base/options.h"
#include "gumption/corpus/hits.h"
#include "gumption/corpus/hits_endpoint.h"

namespace gumption {

/// Who counts: hit indexes (folders or HOST:PORT), or a search cluster.
struct HitSourceOptions {
  std::vector<std::string> index;
  HitEndpointOptions endpoint;
};
OptionSet describe(HitSourceOptions& options);

/// UserError when neither or both are named, and when it can't be opened.
std::unique_ptr<HitCounter> open_hits(const HitSourceOptions& options);

}  // namespace gumption
