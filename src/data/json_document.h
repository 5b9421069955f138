#pragma once

// One JSON value at a time, for readers of JSON Lines: simdjson where it is built in, nlohmann-json otherwise. Both
// give the same values and refuse the same texts.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace gumption {

class JsonDocument;

/// A value inside a JsonDocument. A small handle: copy it freely. Valid until the document parses again.
class JsonValue {
 public:
  enum class Kind { kNull, kBoolean, kInteger, kReal, kText, kArray, kObject };

  Kind kind() const;
  bool is_text() const { return kind() == Kind::kText; }
  bool is_array() const { return kind() == Kind::kArray; }
  bool is_object() const { return kind() == Kind::kObject; }

  /// Each of these needs a value of that kind.
  std::string_view text() const;
  std::int64_t integer() const;
  bool boolean() const;
  double real() const;

  /// The key of a value that stands in an object; empty otherwise.
  std::string_view key() const;

  /// What to call its kind in a message: "a number", "text", "a list", …
  std::string_view kind_name() const;

  /// Compact JSON text of this value, keys in the order they have.
  std::string to_json() const;

  /// Members of an array or object, in order: for (auto member : value) …
  class Iterator {
   public:
    Iterator(const JsonDocument* document, std::int32_t index) : document_(document), index_(index) {}
    JsonValue operator*() const { return JsonValue(document_, index_); }
    Iterator& operator++();
    bool operator!=(const Iterator& other) const { return index_ != other.index_; }

   private:
    const JsonDocument* document_;
    std::int32_t index_;
  };
  Iterator begin() const;
  Iterator end() const { return {document_, -1}; }
  std::size_t size() const;

 private:
  friend class JsonDocument;
  JsonValue(const JsonDocument* document, std::int32_t index) : document_(document), index_(index) {}

  const JsonDocument* document_;
  std::int32_t index_;
};

/// Parses one text after another, reusing its memory. Not thread-safe.
class JsonDocument {
 public:
  JsonDocument();
  ~JsonDocument();

  /// Parses `text`, which must be followed by LineReader::kPadding readable bytes. False, with `error` set to what is
  /// wrong, when it isn't one JSON value.
  bool parse(std::string_view text, std::string& error);

  /// The value of the last successful parse().
  JsonValue root() const { return {this, 0}; }

 private:
  friend class JsonValue;
  struct Node;
  struct Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace gumption
