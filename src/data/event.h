#pragma once

#include <map>
#include <string>
#include <vector>

namespace gumption {

/// What people said about an event in one dimension ("xIntent", "Otheremotion"). No values means that nobody was asked;
/// the value "none" is an answer of its own.
struct Inference {
  std::string dimension;
  std::vector<std::string> values;

  bool operator==(const Inference&) const = default;
};

/// A short event with its inferences, as in ATOMIC and Event2Mind: what contexts are written from.
struct Event {
  std::string text;
  std::string source;  // where the event came from, where the file says
  std::string split;
  std::vector<Inference> inferences;
  std::map<std::string, std::string> other;  // further columns of its file, as text

  bool operator==(const Event&) const = default;
};

}  // namespace gumption
