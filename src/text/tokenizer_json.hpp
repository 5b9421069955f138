#pragma once

// Reading JSON with messages that name the file and the key. Inside this room only: a .hpp is not installed.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "gumption/base/error.h"

namespace gumption {

using Json = nlohmann::json;

/// UserError with the position where the text stops being JSON, or is nested deeper than any tokenizer file.
Json parse_json(std::string_view text, const std::string& file);

/// A JSON object of a file, and where in the file it stands.
class JsonObject {
 public:
  /// UserError unless `value` is an object. `value` must outlive this.
  JsonObject(const Json& value, std::string file, std::string path);

  /// nullptr where the key is absent or null.
  const Json* find(const std::string& key) const;
  /// UserError where it is absent or null.
  const Json& at(const std::string& key) const;

  std::string text(const std::string& key, const std::string& otherwise) const;
  bool flag(const std::string& key, bool otherwise) const;
  std::int64_t number(const std::string& key, std::int64_t otherwise) const;
  JsonObject object(const std::string& key) const;

  /// UserError about a key's value.
  [[noreturn]] void refuse(const std::string& key, const std::string& expected, const std::string& found,
                           const std::string& advice = {}) const;

  const std::string& file() const { return file_; }
  std::string path_of(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }
  const Json& json() const { return value_; }

 private:
  const Json& value_;
  std::string file_;
  std::string path_;
};

/// A value as a message shows it: at most 60 bytes of its JSON.
std::string shown(const Json& value);

}  // namespace gumption
