#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gumption/weights/model_sources.h"
#include "gumption/weights/model_store.h"

#include "cli/command.h"
#include "cli/output.h"

namespace gumption::cli {

namespace {

std::string or_dash(const std::string& text) { return text.empty() ? "–" : text; }

int list(const CommonOptions& common) {
  auto json = nlohmann::ordered_json::array();
  Table table({"model", "class", "parameters", "MB", "source", "folder"});
  table.left_aligned();
  for (const StoredModel& model : list_models()) {
    nlohmann::ordered_json entry;
    entry["name"] = model.name;
    entry["path"] = model.folder.string();
    entry["architecture"] = model.architecture;
    if (model.parameters) entry["parameters"] = *model.parameters;
    entry["bytes"] = model.bytes;
    entry["source"] = model.source;
    json.push_back(std::move(entry));
    const std::string parameters =
        model.parameters ? with_commas(static_cast<std::size_t>(*model.parameters)) : std::string();
    table.add({model.name, or_dash(model.architecture), or_dash(parameters), with_commas(model.bytes / 1'000'000),
               or_dash(model.source), model.folder.string()});
  }
  if (common.json) {
    print_json(json);
    return 0;
  }
  if (!table.empty()) table.print();
  std::string folders;
  for (const auto& folder : model_folders()) folders += (folders.empty() ? "" : ", ") + folder.string();
  print_note(common, fmt::format("{}Looked in {}. `gumption model pull NAME` fetches one.",
                                 table.empty() ? "No model is stored. " : "", folders));
  return 0;
}

}  // namespace

Command model_list_command() {
  Command command;
  command.name = "list";
  command.about = "List the models on this machine, with their size and where they come from";
  command.examples = {"gumption model list", "gumption model list --json"};
  command.run = list;
  return command;
}

}  // namespace gumption::cli
