#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gumption/base/error.h"
#include "gumption/data/split.h"

#include "cli/command.h"
#include "cli/output.h"

namespace gumption::cli {

namespace {

struct State {
  std::vector<std::string> files;
  ReadOptions read;
  SplitOptions split;
  std::string out;
};

int run(const State& state, const CommonOptions& common) {
  if (state.out.empty()) throw UsageError("--out is required: the folder to make.");
  const auto paths = to_paths(state.files);
  Dataset dataset = read_dataset(paths, state.read);
  make_ids_unique(dataset);
  note_labels(common, dataset.sources);
  if (dataset.questions.empty()) throw UserError(fmt::format("{}: no questions to split.", paths.front().string()));
  const auto parts = split_questions(dataset.questions, state.split);
  write_parts(dataset, parts, state.split, state.out);
  if (common.json) {
    nlohmann::ordered_json json;
    json["out"] = state.out;
    for (const Part& part : parts) json["parts"][part.name] = part.questions.size();
    print_json(json);
    return 0;
  }
  Table table({"part", "questions", "share"});
  for (const Part& part : parts) {
    table.add({part.name, with_commas(part.questions.size()),
               percent(static_cast<double>(part.questions.size()) / static_cast<double>(dataset.questions.size()))});
  }
  table.print();
  print_note(common, fmt::format("Written to {}, with a manifest.json that says how.", state.out));
  return 0;
}

}  // namespace

Command data_split_command() {
  auto state = std::make_shared<State>();
  Command command;
  command.name = "split";
  command.about = "Divide questions into parts, folds or nested samples";
  command.examples = {
      "gumption data split all.jsonl --by group --group-by context --parts train=.8,dev=.1,test=.1 --out parts",
      "gumption data split full_data.tsv --folds 5 --seed 7 --out folds",
      "gumption data split train.jsonl --fractions .2,.4,.6,.8 --out samples"};
  command.operands = {{"FILES", "Files of questions", &state->files, true, true}};
  command.options.add_all(describe(state->read)).add_all(describe(state->split));
  command.options.add_file("out", state->out, "New folder to write the parts and manifest.json into");
  command.run = [state](const CommonOptions& common) { return run(*state, common); };
  return command;
}

}  // namespace gumption::cli
