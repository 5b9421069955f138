#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gumption {

/// Which way a COPA-style question asks.
enum class AsksFor { kCause, kEffect };

std::string_view to_text(AsksFor asks_for);
std::optional<AsksFor> asks_for_of(std::string_view text);

/// What is known about a question beyond its text. Empty means unknown.
struct Notes {
  std::string category;
  std::string question_type;
  std::optional<AsksFor> asks_for;
  std::string split;
  std::string author;
  std::string source_event;
  std::vector<std::string> choice_kinds;     // how each choice was made; empty or one for each choice
  std::map<std::string, std::string> other;  // anything else: the value as JSON text

  bool operator==(const Notes&) const = default;
};

/// One multiple-choice question of any benchmark. A reader gives two or more choices and a label inside their range.
struct Question {
  std::string id;
  std::string context;
  std::string question;
  std::vector<std::string> choices;
  std::optional<int> label;  // index of the right choice, from 0
  Notes notes;

  bool operator==(const Question&) const = default;
};

/// Whether a choice says "none of the above" in some spelling.
bool is_none_of_the_above(std::string_view choice);

/// Lower-cased, with white space squeezed: how texts are compared for being the same.
std::string comparable(std::string_view text);

}  // namespace gumption
