#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gumption/data/catalogue.h"

#include "cli/command.h"
#include "cli/output.h"

namespace gumption::cli {

namespace {

std::vector<std::string> benchmark_names() {
  std::vector<std::string> names;
  for (const Benchmark& benchmark : benchmarks()) names.push_back(benchmark.name);
  return names;
}

int list(const CommonOptions& common) {
  auto json = nlohmann::ordered_json::array();
  Table table({"benchmark", "what", "licence", "on this machine"});
  table.left_aligned();
  for (const Benchmark& benchmark : benchmarks()) {
    const auto found = find_benchmark(benchmark.name);
    table.add({benchmark.name, benchmark.about, benchmark.licence, found.empty() ? "–" : found.front().string()});
    nlohmann::ordered_json entry;
    entry["name"] = benchmark.name;
    entry["about"] = benchmark.about;
    entry["licence"] = benchmark.licence;
    for (const RemoteFile& file : benchmark.files) entry["addresses"].push_back(file.url);
    entry["found"] = nlohmann::ordered_json::array();
    for (const auto& folder : found) entry["found"].push_back(folder.string());
    json.push_back(std::move(entry));
  }
  if (common.json) {
    print_json(json);
    return 0;
  }
  table.print();
  std::string folders;
  for (const auto& folder : data_folders()) folders += (folders.empty() ? "" : ", ") + folder.string();
  print_note(common,
             fmt::format("Looked in {}. `gumption data pull NAME` fetches one; GUMPTION_DATA adds folders.", folders));
  return 0;
}

}  // namespace

Command data_list_command() {
  Command command;
  command.name = "list";
  command.about = "List the benchmarks that gumption knows and where they lie on this machine";
  command.examples = {"gumption data list", "GUMPTION_DATA=~/benchmarks gumption data list --json"};
  command.run = list;
  return command;
}

Command data_pull_command() {
  struct State {
    std::vector<std::string> names;
    PullOptions pull;
  };
  auto state = std::make_shared<State>();
  Command command;
  command.name = "pull";
  command.about = "Fetch a benchmark from its official address into the data folder";
  command.examples = {"gumption data pull social-iqa", "gumption data pull codah --to ~/benchmarks"};
  command.operands = {
      {"NAME", "Benchmark to fetch (see `gumption data list`)", &state->names, true, false, false, benchmark_names()}};
  command.options.add("from", state->pull.from, "Address of a mirror that has the same file names");
  command.options.add_file("to", state->pull.to,
                           "Folder to put the benchmark's folder into, instead of the data folder");
  command.run = [state](const CommonOptions& common) {
    const auto paths = pull_benchmark(state->names.front(), state->pull);
    if (common.json) {
      nlohmann::ordered_json json;
      for (const auto& path : paths) json["files"].push_back(path.string());
      print_json(json);
    } else {
      for (const auto& path : paths) fmt::print("{}\n", path.string());
    }
    return 0;
  };
  return command;
}

}  // namespace gumption::cli
