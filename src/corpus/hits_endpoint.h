#pragma once

#include <memory>
#include <string>

#include "gumption/corpus/hits.h"
#include "gumption/corpus/hits_http.h"

namespace gumption {

struct HitEndpointOptions {
  std::string address;  // http://HOST:9200, perhaps with USER:PASSWORD@
  std::string index;
  std::string field = "text";
  std::string cache;  // a file to keep counts in; empty: none
  HttpBatchOptions http;
};

/// Counts by an OpenSearch or Elasticsearch cluster: POST ADDRESS/INDEX/_count with a match_phrase query (a match query
/// where words alone are asked for), two of them as a bool filter. The texts are sent as their words, lower-cased; the
/// field's analyser should make the same words of them. What the cache has isn't asked for, and each count is in it as
/// soon as it comes. A reply that lacks some of the cluster's shards is no answer. UserError as post_batch() says, and
/// for replies that aren't counts.
std::unique_ptr<HitCounter> open_hit_endpoint(const HitEndpointOptions& options);

}  // namespace gumption
