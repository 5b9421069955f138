#include <chrono>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gumption/base/error.h"
#include "gumption/corpus/hits_index.h"

#include "cli/command.h"
#include "cli/output.h"

namespace gumption::cli {

namespace {

struct State {
  std::vector<std::string> inputs;
  HitIndexOptions index;
  std::string out;
};

int run(const State& state, const CommonOptions& common) {
  if (state.out.empty()) throw UsageError("--out is required: the folder to make.");
  HitIndexOptions options = state.index;
  options.threads = common.threads;
  const auto start = std::chrono::steady_clock::now();
  const HitIndexSummary made = build_hit_index(to_paths(state.inputs), options, state.out);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (common.json) {
    nlohmann::ordered_json json;
    json["out"] = state.out;
    json["files"] = made.files;
    json["documents"] = made.documents;
    json["words"] = made.words;
    json["text_bytes"] = made.text_bytes;
    json["index_bytes"] = made.index_bytes;
    json["seconds"] = seconds;
    print_json(json);
    return 0;
  }
  print_note(common, fmt::format("Written to {}: {} documents, {} words from {} files, {} bytes, in {:.1f} s.",
                                 state.out, with_commas(made.documents), with_commas(made.words),
                                 with_commas(made.files), with_commas(made.index_bytes), seconds));
  return 0;
}

}  // namespace

Command corpus_index_command() {
  auto state = std::make_shared<State>();
  Command command;
  command.name = "index";
  command.about = "Make a search index of text, for the systems that count documents";
  command.examples = {"gumption corpus index books/ --documents line --out books.index",
                      "gumption eval --system hits-pair --set index=books.index --data copa-dev.xml"};
  command.operands = {
      {"INPUTS", "Text files and folders, packed or not; - is standard input", &state->inputs, true, true}};
  command.options.add_all(describe(state->index));
  command.options.add_file("out", state->out, "New folder to write the index into");
  command.run = [state](const CommonOptions& common) { return run(*state, common); };
  return command;
}

}  // namespace gumption::cli
