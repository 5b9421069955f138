#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gumption/measure/effect.h"

#include "cli/command.h"
#include "cli/output.h"

namespace gumption::cli {

namespace {

struct State {
  std::vector<std::string> files;
};

void print_as_json(const GroupDifference& difference) {
  nlohmann::ordered_json json;
  json["cohen_d"] = difference.effect.d;
  json["low"] = difference.effect.interval.low;
  json["high"] = difference.effect.interval.high;
  for (const ValueGroup* group : {&difference.first, &difference.second}) {
    nlohmann::ordered_json entry;
    entry["group"] = group->name;
    entry["n"] = static_cast<std::size_t>(group->values.count);
    entry["mean"] = group->values.mean;
    entry["deviation"] = group->values.standard_deviation();
    json["groups"].push_back(std::move(entry));
  }
  print_json(json);
}

void print_as_text(const GroupDifference& difference) {
  Table table({"group", "values", "mean", "deviation"});
  for (const ValueGroup* group : {&difference.first, &difference.second}) {
    table.add({group->name, with_commas(static_cast<std::size_t>(group->values.count)),
               fmt::format("{:.3f}", group->values.mean), fmt::format("{:.3f}", group->values.standard_deviation())});
  }
  table.print();
  fmt::print("Cohen's d {:.3f}, 95% interval {:.3f} to {:.3f}\n", difference.effect.d, difference.effect.interval.low,
             difference.effect.interval.high);
}

int run(const State& state, const CommonOptions& common) {
  const GroupDifference difference = measure_effect(state.files.front());
  if (common.json) {
    print_as_json(difference);
  } else {
    print_as_text(difference);
  }
  return 0;
}

}  // namespace

Command measure_effect_command() {
  auto state = std::make_shared<State>();
  Command command;
  command.name = "effect";
  command.about = "Say how far two groups of values stand apart: Cohen's d with its interval";
  command.examples = {"gumption measure effect lengths.csv --json"};
  command.operands = {{"FILE", "Table with the columns group and value; two groups", &state->files}};
  command.run = [state](const CommonOptions& common) { return run(*state, common); };
  return command;
}

}  // namespace gumption::cli
