#include "gumption/corpus/hits_shards.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gumption/base/build_info.h"
#include "gumption/base/error.h"
#include "gumption/base/options.h"
#include "gumption/corpus/hits_index_format.h"
#include "gumption/text/words.h"

#if GUMPTION_WITH_HITS
#include <xapian.h>
#endif

namespace gumption {

#if GUMPTION_WITH_HITS

namespace {

namespace fs = std::filesystem;

struct RemoteAddress {
  std::string host;
  unsigned port = 0;
};

/// "HOST:PORT", unless a folder has that name.
std::optional<RemoteAddress> remote_address(const std::string& shard) {
  if (fs::exists(shard)) return std::nullopt;
  const std::size_t colon = shard.rfind(':');
  if (colon == std::string::npos || colon == 0 || shard.find('/') != std::string::npos) return std::nullopt;
  const auto port = parse_integer(std::string_view(shard).substr(colon + 1));
  if (!port || *port < 1 || *port > 65535) return std::nullopt;
  return RemoteAddress{shard.substr(0, colon), static_cast<unsigned>(*port)};
}

std::string reason_of(const Xapian::Error& error) {
  std::string reason = error.get_msg();
  if (error.get_error_string() != nullptr) reason += fmt::format(": {}", error.get_error_string());
  if (!error.get_context().empty()) reason += fmt::format(" ({})", error.get_context());
  return reason;
}

[[noreturn]] void fail_to_reach(const std::string& shard, const Xapian::Error& error) {
  throw UserError(
      fmt::format("{}: this shard can't be reached: {}. No hits are given without it; is its "
                  "xapian-tcpsrv running?",
                  shard, reason_of(error)));
}

Xapian::Database open_local(const std::string& shard) {
  if (!fs::exists(shard)) {
    throw UserError(
        fmt::format("{}: there is no such hit index. Make one with `gumption corpus index`, or give "
                    "HOST:PORT of an xapian-tcpsrv.",
                    shard));
  }
  try {
    return Xapian::Database(shard);
  } catch (const Xapian::Error& error) {
    throw UserError(Complaint{shard, 0, "a hit index", reason_of(error), "Make one with `gumption corpus index`"});
  }
}

Xapian::Database open_remote(const std::string& shard, const RemoteAddress& address, double timeout_seconds) {
  const auto milliseconds = static_cast<unsigned>(timeout_seconds * 1000);
  try {
    return Xapian::Remote::open(address.host, address.port, milliseconds, milliseconds);
  } catch (const Xapian::Error& error) {
    fail_to_reach(shard, error);
  }
}

Xapian::Database open_shard(const std::string& shard, double timeout_seconds) {
  const auto address = remote_address(shard);
  return address ? open_remote(shard, *address, timeout_seconds) : open_local(shard);
}

/// "VERSION DOCUMENTS", checked.
std::string mark_of(const std::string& shard, const Xapian::Database& database) {
  std::string mark;
  try {
    mark = database.get_metadata(kHitIndexKey);
  } catch (const Xapian::Error& error) {
    fail_to_reach(shard, error);
  }
  const auto version = parse_integer(std::string_view(mark).substr(0, mark.find(' ')));
  if (!version) {
    throw UserError(Complaint{shard, 0, "a hit index", "a Xapian database of another program",
                              "Make one with `gumption corpus index`"});
  }
  if (*version != kHitIndexVersion) {
    throw UserError(Complaint{shard, 0, fmt::format("a hit index of version {}", kHitIndexVersion),
                              fmt::format("version {}", *version), "Make it again, or use a newer gumption"});
  }
  return mark;
}

class ShardHits final : public HitCounter {
 public:
  ShardHits(std::span<const std::string> shards, double timeout_seconds)
      : shards_(shards.begin(), shards.end()), timeout_seconds_(timeout_seconds) {
    open();
  }

  std::vector<std::uint64_t> count(std::span<const HitQuery> queries) override {
    std::vector<std::uint64_t> counts;
    counts.reserve(queries.size());
    for (const HitQuery& query : queries) {
      counts.push_back(ask([&] { return count_of(canonical(query)); }));
    }
    return counts;
  }

  std::uint64_t total() override {
    return ask([&] { return std::uint64_t{database_.get_doccount()}; });
  }

 private:
  void open() {
    Xapian::Database all;
    std::string mark;
    for (const std::string& shard : shards_) {
      const Xapian::Database opened = open_shard(shard, timeout_seconds_);
      const std::string found = mark_of(shard, opened);
      if (!mark.empty() && found != mark) {
        throw UserError(Complaint{shard, 0, "documents that end at the same places as in " + shards_.front(),
                                  in_quotes(found), "Make the shards with the same --documents"});
      }
      mark = found;
      all.add_database(opened);
    }
    database_ = all;
  }

  /// `question` may be asked twice: a server closes connections that were idle for long, and then a new one does.
  template <class Question>
  std::uint64_t ask(Question&& question) {
    try {
      try {
        return question();
      } catch (const Xapian::NetworkError&) {
        open();
        return question();
      }
    } catch (const Xapian::Error& error) {
      throw UserError(fmt::format("{}: this hit index can't answer: {}. No hits are given from a part of it.",
                                  fmt::join(shards_, ", "), reason_of(error)));
    }
  }

  std::uint64_t count_of(const HitQuery& query) const {
    if (query.first.empty()) return 0;
    const auto first = terms_of(query.first);
    if (query.second.empty() && first.size() == 1) return database_.get_termfreq(first.front());
    Xapian::Query asked = query_of(first, query.match);
    if (!query.second.empty()) asked &= query_of(terms_of(query.second), query.match);
    return matches(asked);
  }

  static std::vector<std::string> terms_of(std::string_view text) {
    std::vector<std::string> terms;
    for_each_word(text, [&](std::string_view word) { terms.emplace_back(term_of(word)); });
    return terms;
  }

  static Xapian::Query query_of(const std::vector<std::string>& terms, HitMatch match) {
    if (match == HitMatch::kWords) return {Xapian::Query::OP_AND, terms.begin(), terms.end()};
    return {Xapian::Query::OP_PHRASE, terms.begin(), terms.end(), static_cast<Xapian::termcount>(terms.size())};
  }

  std::uint64_t matches(const Xapian::Query& query) const {
    Xapian::Enquire enquire(database_);
    enquire.set_query(query);
    enquire.set_weighting_scheme(Xapian::BoolWeight());
    enquire.set_docid_order(Xapian::Enquire::DONT_CARE);
    // Xapian estimates, unless every document must be looked at.
    const Xapian::MSet found = enquire.get_mset(0, 1, database_.get_doccount());
    ensure(found.get_matches_lower_bound() == found.get_matches_upper_bound(), "Xapian counts exactly");
    return found.get_matches_lower_bound();
  }

  std::vector<std::string> shards_;
  double timeout_seconds_;
  Xapian::Database database_;
};

}  // namespace

std::unique_ptr<HitCounter> open_hit_shards(std::span<const std::string> shards, double timeout_seconds) {
  ensure(!shards.empty(), "there is a shard to open");
  for (auto shard = shards.begin(); shard != shards.end(); ++shard) {
    if (std::find(shards.begin(), shard, *shard) == shard) continue;
    throw UserError(fmt::format("{}: this shard is named twice, and its documents would count twice.", *shard));
  }
  return std::make_unique<ShardHits>(shards, timeout_seconds);
}

#else

std::unique_ptr<HitCounter> open_hit_shards(std::span<const std::string>, double) {
  require_feature("hits");
  return nullptr;
}

#endif

}  // namespace gumption
