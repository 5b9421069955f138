#include "gumption/corpus/hits_source.h"

#include "gumption/base/error.h"
#include "gumption/corpus/hits_shards.h"

namespace gumption {

OptionSet describe(HitSourceOptions& options) {
  HitEndpointOptions& endpoint = options.endpoint;
  OptionSet set;
  set.add("index", options.index, "A hit index: a folder of `corpus index`, or HOST:PORT of an xapian-tcpsrv");
  set.add("endpoint", endpoint.address, "Address of an OpenSearch or Elasticsearch server, instead of an index");
  set.add("endpoint_index", endpoint.index, "Name of the index on that server");
  set.add("field", endpoint.field, "Field of the documents there that holds the text");
  set.add_file("cache", endpoint.cache, "File that keeps the server's counts, so that a rerun asks nothing");
  set.add("connections", endpoint.http.connections, "Requests to the server at a time", {1, 256});
  set.add("attempts", endpoint.http.attempts, "Attempts for each request while the server is busy", {1, 100});
  set.add("timeout", endpoint.http.timeout_seconds, "Seconds to wait for an answer", {.01, 86'400});
  set.add("first_wait", endpoint.http.first_wait_seconds,
          "Seconds before the second attempt; twice as many before each further one", {0, 30});
  return set;
}

std::unique_ptr<HitCounter> open_hits(const HitSourceOptions& options) {
  const bool cluster = !options.endpoint.address.empty();
  if (cluster && !options.index.empty()) {
    throw UserError("Both index and endpoint are set. Set one: an index of `gumption corpus index`, or a server.");
  }
  if (cluster) {
    if (options.endpoint.index.empty())
      throw UserError("endpoint_index is needed with endpoint: the index's name there.");
    return open_hit_endpoint(options.endpoint);
  }
  if (options.index.empty()) {
    throw UserError(
        "Document hits need a source: --set index=DIR (see `gumption corpus index`), or --set endpoint=ADDRESS.");
  }
  return open_hit_shards(options.index, options.endpoint.http.timeout_seconds);
}

}  // namespace gumption
