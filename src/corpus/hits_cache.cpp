#include "gumption/corpus/hits_cache.h"

#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <unistd.h>

#include "gumption/base/error.h"
#include "gumption/base/files.h"
#include "gumption/base/options.h"

namespace gumption {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kMagic = "gumption hit counts";
constexpr int kVersion = 1;

std::string header_of(const HitCacheSource& source) {
  Json json;
  json["magic"] = kMagic;
  json["version"] = kVersion;
  json["endpoint"] = source.endpoint;
  json["index"] = source.index;
  json["field"] = source.field;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

[[noreturn]] void refuse(const fs::path& path, std::size_t line, const std::string& expected, const std::string& found,
                         const std::string& advice) {
  throw UserError(Complaint{path.string(), line, expected, found, advice});
}

/// `found` is the file's first line, with its end.
void check_header(const fs::path& path, std::string_view found, const std::string& wanted) {
  if (found == wanted) return;
  const Json json = Json::parse(found, nullptr, false);
  const bool ours = json.is_object() && json.value("magic", Json()) == kMagic;
  if (!ours) refuse(path, 1, "a file of hit counts", in_quotes(found), "Give another name as the cache");
  if (json.value("version", Json()) != kVersion) {
    refuse(path, 1, fmt::format("hit counts of version {}", kVersion),
           "version " + json.value("version", Json()).dump(), "Give another name as the cache");
  }
  refuse(path, 1, "hit counts of " + in_quotes(wanted, 200), in_quotes(found, 200),
         "Keep one cache for each endpoint, index and field");
}

}  // namespace

HitCache::HitCache(fs::path path, const HitCacheSource& source) : path_(std::move(path)) {
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor_ < 0) {
    throw UserError(fmt::format("{}: can't open the cache: {}.", path_.string(), system_message(errno)));
  }
  try {
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      throw UserError(
          fmt::format("{}: another process uses this cache. Wait for it, or give another name.", path_.string()));
    }
    read(header_of(source));
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

HitCache::~HitCache() { ::close(descriptor_); }

void HitCache::read(const std::string& header) {
  const std::string bytes = read_all(*open_plain(path_));
  const std::size_t header_end = bytes.find('\n') + 1;
  if (header_end == 0) {
    // Nothing yet, or a header that was cut off.
    if (!header.starts_with(bytes)) check_header(path_, bytes, header);
    truncate(0);
    append(header);
    return;
  }
  check_header(path_, std::string_view(bytes).substr(0, header_end), header);
  const std::size_t rows_end = bytes.rfind('\n') + 1;
  read_rows(std::string_view(bytes).substr(header_end, rows_end - header_end));
  if (rows_end != bytes.size()) truncate(rows_end);
}

void HitCache::read_rows(std::string_view rows) {
  std::size_t line = 1;
  while (!rows.empty()) {
    ++line;
    const std::string_view row = rows.substr(0, rows.find('\n'));
    rows.remove_prefix(row.size() + 1);
    const std::size_t tab = row.find('\t');
    const auto count = parse_integer(row.substr(0, tab));
    if (tab == std::string_view::npos || !count || *count < 0) {
      refuse(path_, line, "a count, a tab and a query", in_quotes(row), "Remove this line, or the file to ask anew");
    }
    counts_[std::string(row.substr(tab + 1))] = static_cast<std::uint64_t>(*count);
  }
}

std::optional<std::uint64_t> HitCache::find(const std::string& key) const {
  const auto found = counts_.find(key);
  if (found == counts_.end()) return std::nullopt;
  return found->second;
}

void HitCache::add(const std::string& key, std::uint64_t count) {
  ensure(key.find('\n') == std::string::npos, "a key is one line");
  append(fmt::format("{}\t{}\n", count, key));
  counts_.emplace(key, count);
}

void HitCache::append(std::string_view line) const {
  while (!line.empty()) {
    const ssize_t written = ::write(descriptor_, line.data(), line.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      throw UserError(fmt::format("{}: can't write the cache: {}. What it has is kept; run again to go on.",
                                  path_.string(), system_message(errno)));
    }
    line.remove_prefix(static_cast<std::size_t>(written));
  }
}

void HitCache::truncate(std::size_t size) const {
  if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) {
    throw UserError(fmt::format("{}: can't write the cache: {}.", path_.string(), system_message(errno)));
  }
}

}  // namespace gumption
