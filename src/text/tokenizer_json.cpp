#include "gumption/text/tokenizer_json.hpp"

#include <utility>

#include <fmt/format.h>

namespace gumption {

namespace {

/// nlohmann's parser and destructor take one stack frame a level.
constexpr int kDeepest = 64;

bool nested_too_deep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if (in_string) {
      if (letter == '\\') ++i;
      if (letter == '"') in_string = false;
    } else if (letter == '"') {
      in_string = true;
    } else if (letter == '{' || letter == '[') {
      if (++depth > kDeepest) return true;
    } else if (letter == '}' || letter == ']') {
      --depth;
    }
  }
  return false;
}

}  // namespace

Json parse_json(std::string_view text, const std::string& file) {
  if (nested_too_deep(text)) {
    throw UserError(
        Complaint{file, 0, fmt::format("JSON of at most {} levels", kDeepest), "more", "Is this the right file?"});
  }
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    throw UserError(Complaint{file, 0, "JSON", fmt::format("something else at byte {}", error.byte),
                              "Is the file whole? Fetch it again"});
  } catch (const Json::exception& error) {
    throw UserError(Complaint{file, 0, "JSON", in_quotes(error.what(), 120), "Is the file whole? Fetch it again"});
  }
}

std::string shown(const Json& value) {
  return in_quotes(value.is_string() ? value.get_ref<const std::string&>()
                                     : value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

JsonObject::JsonObject(const Json& value, std::string file, std::string path)
    : value_(value), file_(std::move(file)), path_(std::move(path)) {
  if (value_.is_object()) return;
  const std::string where = path_.empty() ? "" : " as " + in_quotes(path_);
  throw UserError(Complaint{file_, 0, "a JSON object" + where, shown(value_), {}});
}

const Json* JsonObject::find(const std::string& key) const {
  const auto found = value_.find(key);
  return found == value_.end() || found->is_null() ? nullptr : &*found;
}

const Json& JsonObject::at(const std::string& key) const {
  if (const Json* found = find(key)) return *found;
  throw UserError(Complaint{file_, 0, "the key " + in_quotes(path_of(key)), "none", "Is the file whole?"});
}

void JsonObject::refuse(const std::string& key, const std::string& expected, const std::string& found,
                        const std::string& advice) const {
  throw UserError(Complaint{file_, 0, expected + " as " + in_quotes(path_of(key)), found, advice});
}

std::string JsonObject::text(const std::string& key, const std::string& otherwise) const {
  const Json* found = find(key);
  if (found == nullptr) return otherwise;
  if (!found->is_string()) refuse(key, "a text", shown(*found));
  return found->get<std::string>();
}

bool JsonObject::flag(const std::string& key, bool otherwise) const {
  const Json* found = find(key);
  if (found == nullptr) return otherwise;
  if (!found->is_boolean()) refuse(key, "true or false", shown(*found));
  return found->get<bool>();
}

std::int64_t JsonObject::number(const std::string& key, std::int64_t otherwise) const {
  const Json* found = find(key);
  if (found == nullptr) return otherwise;
  if (!found->is_number_integer()) refuse(key, "a whole number", shown(*found));
  if (found->is_number_unsigned() && found->get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX)) {
    refuse(key, "a smaller number", shown(*found));
  }
  return found->get<std::int64_t>();
}

JsonObject JsonObject::object(const std::string& key) const { return {at(key), file_, path_of(key)}; }

}  // namespace gumption
