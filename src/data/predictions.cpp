#include "gumption/data/predictions.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gumption/base/error.h"
#include "gumption/base/options.h"
#include "gumption/data/table_reader.h"

namespace gumption {

const std::vector<std::string>& prediction_formats() {
  static const std::vector<std::string> names = {"copa-responses", "labels-from-0", "labels-from-1", "superglue",
                                                 "csv"};
  return names;
}

std::string prediction_header(std::string_view format) { return format == "csv" ? "id,choice\n" : ""; }

std::string prediction_line(std::string_view format, const Prediction& prediction) {
  if (format == "copa-responses") {
    if (prediction.id.find_first_of(" \t\r\n") != std::string::npos) {
      throw UserError(fmt::format("The id {} can't be written as a COPA response: it has white space in it.",
                                  in_quotes(prediction.id)));
    }
    std::string line = prediction.id;
    for (std::size_t i = 0; i < prediction.choices; ++i) {
      line += static_cast<int>(i) == prediction.choice ? " 1" : " 0";
    }
    return line + "\n";
  }
  if (format == "labels-from-0") return fmt::format("{}\n", prediction.choice);
  if (format == "labels-from-1") return fmt::format("{}\n", prediction.choice + 1);
  if (format == "superglue") {
    nlohmann::ordered_json row;
    const auto number = parse_integer(prediction.id);
    row["idx"] = number ? nlohmann::ordered_json(*number) : nlohmann::ordered_json(prediction.id);
    row["label"] = prediction.choice;
    return row.dump() + "\n";
  }
  if (format == "csv") {
    std::string record;
    append_record(record, {prediction.id, std::to_string(prediction.choice)}, ',');
    return record;
  }
  throw UserError(
      fmt::format("There is no prediction format {}. {}", in_quotes(format), suggest(format, prediction_formats())));
}

}  // namespace gumption
