#include "gumption/corpus/hits_endpoint.h"

#include <optional>
#include <unordered_map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gumption/base/error.h"
#include "gumption/corpus/hits_cache.h"

namespace gumption {

namespace {

using Json = nlohmann::json;

constexpr const char* kAllDocuments = "all";

Json clause_of(const std::string& field, const std::string& text, HitMatch match) {
  if (match == HitMatch::kPhrase) return {{"match_phrase", {{field, text}}}};
  return {{"match", {{field, {{"query", text}, {"operator", "and"}}}}}};
}

std::string body_of(const std::string& field, const HitQuery& query) {
  Json asked = clause_of(field, query.first, query.match);
  if (!query.second.empty()) {
    Json filter = Json::array({std::move(asked), clause_of(field, query.second, query.match)});
    asked = Json{{"bool", {{"filter", std::move(filter)}}}};
  }
  return Json{{"query", std::move(asked)}}.dump();
}

/// The reason in {"error": {"reason": …, "root_cause": [{"reason": …}]}} or {"error": "…"}.
std::string reason_in(const std::string& body) {
  const Json json = Json::parse(body, nullptr, false);
  if (!json.is_object() || !json.contains("error")) return body.empty() ? "" : in_quotes(body);
  const Json& error = json["error"];
  if (error.is_string()) return in_quotes(error.get_ref<const std::string&>(), 200);
  if (error.is_object() && error.contains("reason") && error["reason"].is_string()) {
    return in_quotes(error["reason"].get_ref<const std::string&>(), 200);
  }
  return in_quotes(body, 200);
}

/// One reply: a count, or why it isn't one yet.
struct Counted {
  std::uint64_t count = 0;
  std::optional<std::string> ask_again;
};

Counted counted(const std::string& url, const std::string& body) {
  const Json json = Json::parse(body, nullptr, false);
  if (!json.is_object() || !json.contains("count") || !json["count"].is_number_unsigned()) {
    throw UserError(Complaint{url, 0, "a reply with \"count\", as OpenSearch gives it", in_quotes(body),
                              "Is this the address of such a server?"});
  }
  const Json shards = json.value("_shards", Json::object());
  const Json failed = shards.is_object() ? shards.value("failed", Json(0)) : Json(0);
  if (failed.is_number_unsigned() && failed != 0) {
    return {0, fmt::format("{} of the cluster's shards failed to answer", failed.get<std::uint64_t>())};
  }
  return {json["count"].get<std::uint64_t>(), std::nullopt};
}

std::string count_url(const HitEndpointOptions& options) {
  std::string address = options.address;
  while (address.ends_with('/')) address.pop_back();
  return fmt::format("{}/{}/_count", address, path_escaped(options.index));
}

class EndpointHits final : public HitCounter {
 public:
  explicit EndpointHits(const HitEndpointOptions& options)
      : options_(options), url_(count_url(options)), shown_url_(without_credentials(url_)) {
    const std::string shown_address = without_credentials(options.address);
    if (options.cache.empty()) return;
    cache_.emplace(options.cache, HitCacheSource{shown_address, options.index, options.field});
  }

  std::vector<std::uint64_t> count(std::span<const HitQuery> queries) override {
    std::vector<std::string> keys;
    Missing missing;
    for (const HitQuery& query : queries) {
      const HitQuery plain = canonical(query);
      keys.push_back(plain.first.empty() ? "" : key_of(plain));
      if (!plain.first.empty()) missing.add(keys.back(), cache_, [&] { return body_of(options_.field, plain); });
    }
    ask_for(missing);
    std::vector<std::uint64_t> counts;
    counts.reserve(keys.size());
    for (const std::string& key : keys) counts.push_back(key.empty() ? 0 : missing.known.at(key));
    return counts;
  }

  std::uint64_t total() override {
    Missing missing;
    missing.add(kAllDocuments, cache_, [] { return Json{{"query", {{"match_all", Json::object()}}}}.dump(); });
    ask_for(missing);
    return missing.known.at(kAllDocuments);
  }

 private:
  /// The counts of one call, and what is to be asked for them.
  struct Missing {
    std::unordered_map<std::string, std::uint64_t> known;  // 0 until the answer comes
    std::vector<std::string> keys;
    std::vector<std::string> bodies;

    template <class MakeBody>
    void add(const std::string& key, const std::optional<HitCache>& cache, MakeBody&& make_body) {
      const auto cached = cache ? cache->find(key) : std::nullopt;
      if (!known.emplace(key, cached.value_or(0)).second || cached) return;
      keys.push_back(key);
      bodies.push_back(make_body());
    }
  };

  void ask_for(Missing& missing) {
    HttpBatchHandler handler;
    handler.reason_in = reason_in;
    handler.take = [&](std::size_t request, const std::string& body) {
      const Counted reply = counted(shown_url_, body);
      if (reply.ask_again) return reply.ask_again;
      missing.known[missing.keys[request]] = reply.count;
      if (cache_) cache_->add(missing.keys[request], reply.count);
      return reply.ask_again;
    };
    post_batch(url_, missing.bodies, options_.http, handler);
  }

  HitEndpointOptions options_;
  std::string url_;
  std::string shown_url_;
  std::optional<HitCache> cache_;
};

}  // namespace

std::unique_ptr<HitCounter> open_hit_endpoint(const HitEndpointOptions& options) {
  return std::make_unique<EndpointHits>(options);
}

}  // namespace gumption
