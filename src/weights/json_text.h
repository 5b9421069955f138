#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

namespace gumption {

/// The JSON document in a text, or a discarded value where it isn't JSON or nests deeper than anything real: printing
/// and copying go down it by recursion. For the sources of this room, not for its headers.
template <class Json = nlohmann::json>
Json parse_json(std::string_view text) {
  constexpr int kDeepest = 64;
  struct TooDeep {};
  const auto watch = [](int depth, typename Json::parse_event_t, Json&) {
    if (depth > kDeepest) throw TooDeep{};
    return true;
  };
  try {
    return Json::parse(text, watch, false);
  } catch (const TooDeep&) {
    return Json(Json::value_t::discarded);
  }
}

}  // namespace gumption
