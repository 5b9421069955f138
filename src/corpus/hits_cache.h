#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <unordered_map>

namespace gumption {

/// Whose counts a cache keeps.
struct HitCacheSource {
  std::string endpoint;
  std::string index;
  std::string field;
};

/// Counts kept in a file, so that a rerun asks nothing. The file is text: a JSON line that says what it is, of which
/// version and whose counts these are; then a line "COUNT TAB KEY" for each count, only ever appended. A last line that
/// was cut off, by a kill or a full disk, is dropped when the file is opened next. Not thread-safe.
class HitCache {
 public:
  /// Opens or makes the file and holds it until the end. UserError when it is something else, of another version or
  /// source, damaged, or held by another process.
  HitCache(std::filesystem::path path, const HitCacheSource& source);
  HitCache(const HitCache&) = delete;
  HitCache& operator=(const HitCache&) = delete;
  ~HitCache();

  std::optional<std::uint64_t> find(const std::string& key) const;

  /// In the file when it returns. `key` must hold no line end, and must not be there yet.
  void add(const std::string& key, std::uint64_t count);

  std::size_t size() const { return counts_.size(); }

 private:
  void read(const std::string& header);
  void read_rows(std::string_view rows);
  void append(std::string_view line) const;
  void truncate(std::size_t size) const;

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::unordered_map<std::string, std::uint64_t> counts_;
};

}  // namespace gumption
