#include "gumption/measure/effect.h"

#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "gumption/base/error.h"
#include "gumption/base/options.h"
#include "gumption/data/table_reader.h"

namespace gumption {

namespace {

/// Throws unless the record is as long as the header.
void check_length(const TableReader& table, const std::vector<std::string>& fields) {
  if (fields.size() == table.header().size()) return;
  throw UserError(Complaint{table.name(), table.line_number(), fmt::format("{} fields", table.header().size()),
                            fmt::format("{}", fields.size()), ""});
}

std::vector<ValueGroup> read_groups(TableReader& table) {
  const std::size_t group_column = table.column("group");
  const std::size_t value_column = table.column("value");
  std::vector<ValueGroup> groups;
  std::vector<std::string> fields;
  while (table.next(fields)) {
    check_length(table, fields);
    const std::string& name = fields[group_column];
    const auto value = parse_number(fields[value_column]);
    if (!value || !std::isfinite(*value)) {
      throw UserError(
          Complaint{table.name(), table.line_number(), "a number as value", in_quotes(fields[value_column]), ""});
    }
    std::size_t place = 0;
    while (place < groups.size() && groups[place].name != name) ++place;
    if (place == groups.size()) {
      if (place == 2) {
        throw UserError(
            Complaint{table.name(), table.line_number(),
                      fmt::format("one of the groups {} and {}", in_quotes(groups[0].name), in_quotes(groups[1].name)),
                      in_quotes(name), "An effect size compares two groups"});
      }
      groups.push_back({name, {}});
    }
    groups[place].values.add(*value);
  }
  return groups;
}

}  // namespace

GroupDifference measure_effect(std::unique_ptr<ByteSource> source) {
  TableReader table(std::move(source), {});
  std::vector<ValueGroup> groups = read_groups(table);
  if (groups.size() < 2) {
    throw UserError(Complaint{table.name(), 0, "values of two groups", groups.empty() ? "no values" : "one group", ""});
  }
  for (const ValueGroup& group : groups) {
    if (group.values.count >= 2) continue;
    throw UserError(
        Complaint{table.name(), 0, "two or more values in each group", "one in " + in_quotes(group.name), ""});
  }
  const auto effect = cohens_d(groups[0].values, groups[1].values);
  if (!effect) {
    throw UserError(Complaint{table.name(), 0, "values that vary", "one and the same value throughout each group",
                              "Without variation there is no standardised difference"});
  }
  return {std::move(groups[0]), std::move(groups[1]), *effect};
}

GroupDifference measure_effect(const std::filesystem::path& path) { return measure_effect(open_input(path)); }

}  // namespace gumption
