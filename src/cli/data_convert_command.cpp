#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "gumption/base/error.h"
#include "gumption/base/files.h"
#include "gumption/data/event_format.h"
#include "gumption/data/predictions.h"

#include "cli/command.h"
#include "cli/output.h"

namespace gumption::cli {

namespace {

struct State {
  std::vector<std::string> files;
  ReadOptions read;
  std::string to = "native";
  std::string out = "-";
};

std::vector<std::string> target_names() {
  std::vector<std::string> names;
  for (const QuestionFormat* format : question_formats()) names.push_back(format->name);
  for (const EventFormat* format : event_formats()) names.push_back(format->name);
  names.insert(names.end(), prediction_formats().begin(), prediction_formats().end());
  return names;
}

bool names_predictions(const std::string& name) {
  const auto& names = prediction_formats();
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The right answers, in a form that leaderboards and evaluation scripts take.
SourceFile write_gold(const State& state, const std::filesystem::path& from) {
  AtomicFile file(state.out);
  file.write(prediction_header(state.to));
  SourceFile source = for_each_question(from, state.read, [&](const Question& question) {
    if (!question.label)
      throw UserError(fmt::format("{}: question {} has no label to write.", from.string(), question.id));
    file.write(prediction_line(state.to, {question.id, *question.label, question.choices.size()}));
  });
  file.commit();
  return source;
}

SourceFile write_questions(const State& state, const std::filesystem::path& from) {
  const auto writer = question_format(state.to).create(state.out);
  SourceFile source = for_each_question(from, state.read, [&](const Question& question) { writer->write(question); });
  writer->commit();
  return source;
}

std::size_t write_events(const State& state, const EventFormat& to, const std::filesystem::path& from) {
  const auto writer = to.create(state.out);
  std::size_t events = 0;
  const auto take = [&](const Event& event) {
    writer->write(event);
    ++events;
  };
  for_each_event(from, state.read.format, take, state.read.limit);
  writer->commit();
  return events;
}

int run(const State& state, const CommonOptions& common) {
  const std::filesystem::path from = state.files.front();
  if (const EventFormat* events = find_event_format(state.to)) {
    const std::size_t count = write_events(state, *events, from);
    print_note(common, fmt::format("{} events written as {}.", with_commas(count), state.to));
    return 0;
  }
  const SourceFile source = names_predictions(state.to) ? write_gold(state, from) : write_questions(state, from);
  note_labels(common, {source});
  print_note(common, fmt::format("{} questions read as {} and written as {}.", with_commas(source.questions),
                                 source.format, state.to));
  return 0;
}

}  // namespace

Command data_convert_command() {
  auto state = std::make_shared<State>();
  Command command;
  command.name = "convert";
  command.about = "Write questions or events in another format";
  command.examples = {"gumption data convert copa-dev.xml --to native --out copa-dev.jsonl",
                      "gumption data convert copa-dev.xml --to copa-responses --out gold.dev",
                      "gumption data convert v4_atomic_trn.csv --to native-events --out events.jsonl"};
  command.operands = {{"IN", "File of questions or events; - is standard input", &state->files}};
  command.options.add_all(describe(state->read));
  command.options.add_choice("to", state->to, "Format to write; the last five write the right answers alone",
                             target_names());
  command.options.add_file("out", state->out, "File to write; - is standard output");
  command.run = [state](const CommonOptions& common) { return run(*state, common); };
  return command;
}

}  // namespace gumption::cli
