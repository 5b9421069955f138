#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gumption/weights/model_store.h"

#include "cli/command.h"
#include "cli/output.h"

namespace gumption::cli {

Command model_remove_command() {
  struct State {
    std::vector<std::string> names;
  };
  auto state = std::make_shared<State>();
  Command command;
  command.name = "remove";
  command.about = "Remove a model from the data folder";
  command.examples = {"gumption model remove all-MiniLM-L6-v2"};
  command.operands = {{"NAME", "Model to remove (see `gumption model list`)", &state->names, true, false, false, {}}};
  command.run = [state](const CommonOptions& common) {
    const auto folder = remove_model(state->names.front());
    if (common.json) {
      nlohmann::ordered_json json;
      json["removed"] = folder.string();
      print_json(json);
    } else {
      print_note(common, fmt::format("Removed {}.", folder.string()));
    }
    return 0;
  };
  return command;
}

}  // namespace gumption::cli
