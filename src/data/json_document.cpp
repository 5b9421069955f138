#include "gumption/data/json_document.h"

#include <deque>
#include <limits>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gumption/base/error.h"

#if GUMPTION_WITH_SIMDJSON
#include <simdjson.h>
#endif

namespace gumption {

struct JsonDocument::Node {
  JsonValue::Kind kind = JsonValue::Kind::kNull;
  std::string_view key;
  std::string_view text;
  std::int64_t integer = 0;  // also a boolean
  double real = 0;
  std::int32_t first = -1;  // first member
  std::int32_t next = -1;   // next member of the same parent
  std::int32_t count = 0;
};

namespace {

/// Deeper nesting than any benchmark has; keeps recursion over the value harmless.
constexpr std::size_t kDeepest = 64;
constexpr const char* kTooDeep = "values nested more than 64 deep";

}  // namespace

#if GUMPTION_WITH_SIMDJSON

struct JsonDocument::Engine {
  std::vector<Node> nodes;
  simdjson::dom::parser parser;

  bool parse(std::string_view text, std::string& error) {
    simdjson::dom::element element;
    const auto code = parser.parse(text.data(), text.size(), false).get(element);
    if (code != simdjson::SUCCESS) {
      error = code == simdjson::DEPTH_ERROR ? kTooDeep : simdjson::error_message(code);
      return false;
    }
    return add(element, {}, 0, error) >= 0;
  }

  /// Appends the value and all below it; its index, or -1 when it is too deep.
  std::int32_t add(simdjson::dom::element element, std::string_view key, std::size_t depth, std::string& error) {
    if (depth > kDeepest) {
      error = kTooDeep;
      return -1;
    }
    const auto index = static_cast<std::int32_t>(nodes.size());
    nodes.emplace_back();
    nodes.back().key = key;
    using Type = simdjson::dom::element_type;
    switch (element.type()) {
      case Type::STRING:
        nodes.back().kind = JsonValue::Kind::kText;
        nodes.back().text = element.get_string().value_unsafe();
        break;
      case Type::INT64:
        nodes.back().kind = JsonValue::Kind::kInteger;
        nodes.back().integer = element.get_int64().value_unsafe();
        break;
      case Type::UINT64:
      case Type::DOUBLE:
        nodes.back().kind = JsonValue::Kind::kReal;
        nodes.back().real = element.get_double().value_unsafe();
        break;
      case Type::BOOL:
        nodes.back().kind = JsonValue::Kind::kBoolean;
        nodes.back().integer = element.get_bool().value_unsafe() ? 1 : 0;
        break;
      case Type::NULL_VALUE:
        break;
      case Type::ARRAY: {
        nodes.back().kind = JsonValue::Kind::kArray;
        simdjson::dom::array members;
        if (element.get_array().get(members) != simdjson::SUCCESS) return -1;
        for (const auto member : members) {
          if (!append(index, member, {}, depth, error)) return -1;
        }
        break;
      }
      case Type::OBJECT: {
        nodes.back().kind = JsonValue::Kind::kObject;
        simdjson::dom::object members;
        if (element.get_object().get(members) != simdjson::SUCCESS) return -1;
        for (const auto member : members) {
          if (!append(index, member.value, member.key, depth, error)) return -1;
        }
        break;
      }
    }
    return index;
  }

  bool append(std::int32_t parent, simdjson::dom::element member, std::string_view key, std::size_t depth,
              std::string& error) {
    const auto place = static_cast<std::size_t>(parent);
    const std::int32_t last = last_member.size() > depth ? last_member[depth] : -1;
    if (last_member.size() <= depth) last_member.resize(depth + 1, -1);
    const bool is_first = nodes[place].count == 0;
    const std::int32_t index = add(member, key, depth + 1, error);
    if (index < 0) return false;
    if (is_first) {
      nodes[place].first = index;
    } else {
      nodes[static_cast<std::size_t>(last)].next = index;
    }
    last_member[depth] = index;
    ++nodes[place].count;
    return true;
  }

  std::vector<std::int32_t> last_member;  // by depth, while adding
};

#else

struct JsonDocument::Engine {
  std::vector<Node> nodes;
  std::deque<std::string> strings;

  /// Takes nlohmann's events and appends nodes.
  struct Builder final : nlohmann::json_sax<nlohmann::json> {
    explicit Builder(Engine& engine) : engine(engine) {}

    bool null() override { return add(JsonValue::Kind::kNull) >= 0; }
    bool boolean(bool value) override { return number(JsonValue::Kind::kBoolean, value ? 1 : 0, 0); }
    bool number_integer(std::int64_t value) override { return number(JsonValue::Kind::kInteger, value, 0); }
    bool number_unsigned(std::uint64_t value) override {
      if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
        return number(JsonValue::Kind::kReal, 0, static_cast<double>(value));
      }
      return number(JsonValue::Kind::kInteger, static_cast<std::int64_t>(value), 0);
    }
    bool number_float(double value, const std::string&) override { return number(JsonValue::Kind::kReal, 0, value); }
    bool string(std::string& value) override {
      const auto index = add(JsonValue::Kind::kText);
      if (index < 0) return false;
      engine.strings.push_back(std::move(value));
      engine.nodes[static_cast<std::size_t>(index)].text = engine.strings.back();
      return true;
    }
    bool binary(nlohmann::json::binary_t&) override { return false; }
    bool start_object(std::size_t) override { return open(JsonValue::Kind::kObject); }
    bool start_array(std::size_t) override { return open(JsonValue::Kind::kArray); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }
    bool key(std::string& name) override {
      engine.strings.push_back(std::move(name));
      pending_key = engine.strings.back();
      return true;
    }
    bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception& problem) override {
      if (error.empty()) error = problem.what();
      return false;
    }

    std::int32_t add(JsonValue::Kind kind) {
      if (parents.size() > kDeepest) {
        error = kTooDeep;
        return -1;
      }
      const auto index = static_cast<std::int32_t>(engine.nodes.size());
      engine.nodes.emplace_back();
      engine.nodes.back().kind = kind;
      engine.nodes.back().key = pending_key;
      pending_key = {};
      if (!parents.empty()) {
        Parent& parent = parents.back();
        auto& node = engine.nodes[static_cast<std::size_t>(parent.index)];
        if (node.count++ == 0) {
          node.first = index;
        } else {
          engine.nodes[static_cast<std::size_t>(parent.last)].next = index;
        }
        parent.last = index;
      }
      return index;
    }
    bool number(JsonValue::Kind kind, std::int64_t integer, double real) {
      const auto index = add(kind);
      if (index < 0) return false;
      engine.nodes[static_cast<std::size_t>(index)].integer = integer;
      engine.nodes[static_cast<std::size_t>(index)].real = real;
      return true;
    }
    bool open(JsonValue::Kind kind) {
      const auto index = add(kind);
      if (index < 0) return false;
      parents.push_back({index, -1});
      return true;
    }
    bool close() {
      parents.pop_back();
      return true;
    }

    struct Parent {
      std::int32_t index;
      std::int32_t last;
    };
    Engine& engine;
    std::vector<Parent> parents;
    std::string_view pending_key;
    std::string error;
  };

  bool parse(std::string_view text, std::string& error) {
    strings.clear();
    Builder builder(*this);
    if (nlohmann::json::sax_parse(text, &builder)) return true;
    error = builder.error;
    return false;
  }
};

#endif

JsonDocument::JsonDocument() : engine_(std::make_unique<Engine>()) {}
JsonDocument::~JsonDocument() = default;

bool JsonDocument::parse(std::string_view text, std::string& error) {
  engine_->nodes.clear();
  return engine_->parse(text, error);
}

JsonValue::Kind JsonValue::kind() const { return document_->engine_->nodes[static_cast<std::size_t>(index_)].kind; }

std::string_view JsonValue::text() const {
  ensure(is_text(), "a JSON value is text");
  return document_->engine_->nodes[static_cast<std::size_t>(index_)].text;
}

std::int64_t JsonValue::integer() const {
  ensure(kind() == Kind::kInteger, "a JSON value is a whole number");
  return document_->engine_->nodes[static_cast<std::size_t>(index_)].integer;
}

bool JsonValue::boolean() const {
  ensure(kind() == Kind::kBoolean, "a JSON value is true or false");
  return document_->engine_->nodes[static_cast<std::size_t>(index_)].integer != 0;
}

double JsonValue::real() const {
  ensure(kind() == Kind::kReal, "a JSON value is a number");
  return document_->engine_->nodes[static_cast<std::size_t>(index_)].real;
}

std::string_view JsonValue::key() const { return document_->engine_->nodes[static_cast<std::size_t>(index_)].key; }

JsonValue::Iterator JsonValue::begin() const {
  return {document_, document_->engine_->nodes[static_cast<std::size_t>(index_)].first};
}

std::size_t JsonValue::size() const {
  return static_cast<std::size_t>(document_->engine_->nodes[static_cast<std::size_t>(index_)].count);
}

JsonValue::Iterator& JsonValue::Iterator::operator++() {
  index_ = document_->engine_->nodes[static_cast<std::size_t>(index_)].next;
  return *this;
}

std::string_view JsonValue::kind_name() const {
  switch (kind()) {
    case Kind::kNull:
      return "null";
    case Kind::kBoolean:
      return "true or false";
    case Kind::kInteger:
    case Kind::kReal:
      return "a number";
    case Kind::kText:
      return "text";
    case Kind::kArray:
      return "a list";
    case Kind::kObject:
      return "an object";
  }
  return "";
}

namespace {

nlohmann::ordered_json to_nlohmann(JsonValue value) {
  switch (value.kind()) {
    case JsonValue::Kind::kNull:
      return nullptr;
    case JsonValue::Kind::kBoolean:
      return value.boolean();
    case JsonValue::Kind::kInteger:
      return value.integer();
    case JsonValue::Kind::kReal:
      return value.real();
    case JsonValue::Kind::kText:
      return std::string(value.text());
    case JsonValue::Kind::kArray: {
      auto list = nlohmann::ordered_json::array();
      for (const JsonValue member : value) list.push_back(to_nlohmann(member));
      return list;
    }
    case JsonValue::Kind::kObject: {
      auto object = nlohmann::ordered_json::object();
      for (const JsonValue member : value) object[std::string(member.key())] = to_nlohmann(member);
      return object;
    }
  }
  return nullptr;
}

}  // namespace

std::string JsonValue::to_json() const { return to_nlohmann(*this).dump(); }

}  // namespace gumption
