#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gumption/systems/registry.h"

#include "cli/command.h"
#include "cli/output.h"

namespace gumption::cli {

namespace {

int run(const CommonOptions& common) {
  auto json = nlohmann::ordered_json::array();
  for (const SystemEntry& entry : systems()) {
    const auto setup = entry.setup();
    const OptionSet described = setup->describe();
    nlohmann::ordered_json system;
    system["name"] = entry.name;
    system["about"] = entry.about;
    system["options"] = nlohmann::ordered_json::array();
    if (!common.json) fmt::print("{:10} {}\n", entry.name, entry.about);
    for (const Option& option : described.options()) {
      nlohmann::ordered_json described_option;
      described_option["name"] = option.name;
      described_option["kind"] = option.kind;
      described_option["default"] = option.default_value;
      described_option["meaning"] = option.meaning;
      system["options"].push_back(std::move(described_option));
      if (!common.json) {
        fmt::print("{:10}   {} ({}, default {}): {}\n", "", option.name, option.kind, option.default_value,
                   option.meaning);
      }
    }
    json.push_back(std::move(system));
  }
  if (common.json) print_json(json);
  return 0;
}

}  // namespace

Command systems_command() {
  Command command;
  command.name = "systems";
  command.about = "List the answering systems and their options";
  command.examples = {"gumption systems"};
  command.run = run;
  return command;
}

}  // namespace gumption::cli
