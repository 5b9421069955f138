#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gumption/base/error.h"
#include "gumption/corpus/count_index.h"

#include "cli/command.h"
#include "cli/output.h"

namespace gumption::cli {

namespace {

struct State {
  std::vector<std::string> files;
  bool check = false;
};

nlohmann::ordered_json described(const CountIndex& index, const std::string& name) {
  nlohmann::ordered_json json;
  json["file"] = name;
  json["file_bytes"] = index.file_size();
  json["total_words"] = index.totals().words;
  json["documents"] = index.totals().documents;
  json["bytes"] = index.totals().bytes;
  json["words"] = index.word_count();
  json["pairs"] = index.pair_count();
  const auto manifest = nlohmann::ordered_json::parse(index.manifest(), nullptr, false);
  if (!manifest.is_object()) throw UserError(fmt::format("{}: what it says about its sources can't be read.", name));
  json.update(manifest);
  return json;
}

int run(const State& state, const CommonOptions& common) {
  const CountIndex index(state.files.front());
  if (state.check) index.check_rows();
  const auto json = described(index, state.files.front());
  if (common.json) {
    print_json(json);
    return 0;
  }
  Table table({"", ""});
  for (const auto& [key, value] : json.items()) {
    if (key == "sources") {
      table.add({key, fmt::format("{} files", with_commas(value.size()))});
    } else {
      table.add({key, value.is_number_unsigned() ? with_commas(value.get<std::size_t>())
                      : value.is_string()        ? value.get<std::string>()
                                                 : value.dump()});
    }
  }
  table.print();
  if (state.check) print_note(common, "All sums are right.");
  return 0;
}

}  // namespace

Command corpus_info_command() {
  auto state = std::make_shared<State>();
  Command command;
  command.name = "info";
  command.about = "Say what a count index holds, how and from what it was built";
  command.examples = {"gumption corpus info books.counts", "gumption corpus info books.counts --check --json"};
  command.operands = {{"FILE", "A count index", &state->files}};
  command.options.add("check", state->check, "Read all of it and check its sums");
  command.run = [state](const CommonOptions& common) { return run(*state, common); };
  return command;
}

}  // namespace gumption::cli
