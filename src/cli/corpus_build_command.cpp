#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gumption/base/error.h"
#include "gumption/cluster/process_group.h"
#include "gumption/corpus/index_builder.h"

#include "cli/command.h"
#include "cli/engine.h"
#include "cli/output.h"

namespace gumption::cli {

namespace {

struct State {
  std::vector<std::string> inputs;
  std::string out;
  BuildOptions build;
};

int run(State& state, const CommonOptions& common) {
  if (state.out.empty()) throw UsageError("--out is required: the index to write.");
  state.build.threads = common.threads;
  const BuildReport report = build_count_index(state.inputs, state.out, state.build, launched_group());
  if (common.json) {
    nlohmann::ordered_json json;
    json["out"] = state.out;
    json["total_words"] = report.totals.words;
    json["documents"] = report.totals.documents;
    json["bytes"] = report.totals.bytes;
    json["words"] = report.words;
    json["pairs"] = report.pairs;
    json["shards"] = report.shards;
    json["continued_shards"] = report.continued;
    print_json(json);
  }
  if (report.continued > 0) {
    print_note(common, fmt::format("Continued behind {} finished shards of an interrupted build.", report.continued));
  }
  print_note(common,
             fmt::format("Written to {}: {} different words and {} different pairs of {} words in {} documents.",
                         state.out, with_commas(report.words), with_commas(report.pairs),
                         with_commas(report.totals.words), with_commas(report.totals.documents)));
  return 0;
}

}  // namespace

Command corpus_build_command() {
  auto state = std::make_shared<State>();
  Command command;
  command.name = "build";
  command.about = "Count all words and ordered pairs of a text into an index";
  command.examples = {
      "gumption corpus build books/ --out books.counts",
      "gumption corpus build wiki.txt.gz --documents blank-line --windows 5 --min-count 20 --out wiki.counts",
      "cat *.txt | gumption corpus build - --form stem --out stems.counts",
      "torchrun --no-python --nproc-per-node 4 gumption corpus build books/ --out books.counts"};
  command.operands = {
      {"IN", "Text: files, folders, patterns, archives; - is standard input", &state->inputs, true, true}};
  command.options.add_file("out", state->out, "Index to write");
  command.options.add_all(describe(state->build));
  command.needs_engine = is_one_of_several;
  command.run = [state](const CommonOptions& common) { return run(*state, common); };
  return command;
}

}  // namespace gumption::cli
