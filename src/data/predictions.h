#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gumption {

/// A chosen answer, as leaderboards take it.
struct Prediction {
  std::string id;
  int choice = 0;
  std::size_t choices = 2;
};

/// The files that leaderboards and evaluation scripts take: copa-responses ("id 0 1": a column for each choice, 1 under
/// the chosen one), labels-from-0 and labels-from-1 (one a line), superglue ({"idx", "label"} a line), csv (id,choice).
const std::vector<std::string>& prediction_formats();

/// What stands before the first line.
std::string prediction_header(std::string_view format);

/// One line, with its end. UserError for an unknown format.
std::string prediction_line(std::string_view format, const Prediction& prediction);

}  // namespace gumption
