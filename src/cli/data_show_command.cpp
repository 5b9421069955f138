#include <memory>

#include <fmt/format.h>

#include "gumption/base/error.h"

#include "cli/command.h"
#include "cli/output.h"

namespace gumption::cli {

namespace {

struct State {
  std::vector<std::string> files;
  ReadOptions read;
  std::string id;
};

void show(const Question& question) {
  fmt::print("{}", printable(question.id));
  const Notes& notes = question.notes;
  if (!notes.category.empty()) fmt::print("  [{}]", printable(notes.category));
  if (!notes.question_type.empty()) fmt::print("  [{}]", printable(notes.question_type));
  if (notes.asks_for) fmt::print("  [asks for the {}]", to_text(*notes.asks_for));
  fmt::print("\n");
  print_question(question, [&](std::size_t choice) {
    return question.label && static_cast<std::size_t>(*question.label) == choice ? "✓" : " ";
  });
}

int run(const State& state, const CommonOptions& common) {
  const std::filesystem::path from = state.files.front();
  ReadOptions read = state.read;
  if (!state.id.empty()) read.limit = 0;
  const auto writer = common.json ? question_format("native").create("-") : nullptr;
  std::size_t shown = 0;
  const SourceFile source = for_each_question(from, read, [&](const Question& question) {
    if (!state.id.empty() && question.id != state.id) return;
    ++shown;
    if (writer) {
      writer->write(question);
    } else {
      show(question);
    }
  });
  if (writer) writer->commit();
  note_labels(common, {source});
  if (shown == 0 && !state.id.empty()) {
    throw UserError(fmt::format("{}: expected a question with the id {}, found none among {}.", from.string(),
                                in_quotes(state.id), with_commas(source.questions)));
  }
  return 0;
}

}  // namespace

Command data_show_command() {
  auto state = std::make_shared<State>();
  state->read.limit = 5;
  Command command;
  command.name = "show";
  command.about = "Print questions for people to read";
  command.examples = {"gumption data show samples/codah-style.jsonl --limit 3",
                      "gumption data show copa-dev.xml --id 17"};
  command.operands = {{"FILE", "File of questions; - is standard input", &state->files}};
  command.options.add_all(describe(state->read));
  command.options.add("id", state->id, "Only the question with this id");
  command.run = [state](const CommonOptions& common) { return run(*state, common); };
  return command;
}

}  // namespace gumption::cli
