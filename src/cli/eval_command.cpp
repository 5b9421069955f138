#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gumption/base/error.h"
#include "gumption/measure/accuracy.h"

#include "cli/command.h"
#include "cli/output.h"
#include "cli/scoring.h"

namespace gumption::cli {

namespace {

struct State {
  ScoringOptions scoring;
  bool wrong = false;
};

nlohmann::ordered_json to_json(const Accuracy& accuracy) {
  const Interval interval = accuracy.interval();
  nlohmann::ordered_json json;
  json["accuracy"] = accuracy.share();
  json["low"] = interval.low;
  json["high"] = interval.high;
  json["n"] = accuracy.n;
  json["ties"] = accuracy.ties;
  return json;
}

/// A question that was answered wrong.
struct Mistake {
  Question question;
  int choice = 0;
};

void print_as_json(const State& state, const AccuracyTally& tally, const std::vector<Mistake>& mistakes) {
  nlohmann::ordered_json json;
  json["system"] = state.scoring.system;
  json["data"] = state.scoring.data;
  json.update(to_json(tally.all()));
  if (tally.unlabelled() > 0) json["unlabelled"] = tally.unlabelled();
  json["by"] = nlohmann::ordered_json::object();
  for (const auto& [note, values] : tally.by()) {
    for (const auto& [value, accuracy] : values) json["by"][note][value] = to_json(accuracy);
  }
  if (state.wrong) {
    json["wrong"] = nlohmann::ordered_json::array();
    for (const Mistake& mistake : mistakes) {
      nlohmann::ordered_json entry;
      entry["id"] = mistake.question.id;
      entry["choice"] = mistake.choice;
      entry["label"] = *mistake.question.label;
      json["wrong"].push_back(std::move(entry));
    }
  }
  print_json(json);
}

std::vector<std::string> row_of(const std::string& name, const Accuracy& accuracy) {
  const Interval interval = accuracy.interval();
  return {name, percent(accuracy.share()), fmt::format("{:.1f} – {:.1f}", 100 * interval.low, 100 * interval.high),
          with_commas(accuracy.n), with_commas(accuracy.ties)};
}

void print_mistakes(const std::vector<Mistake>& mistakes) {
  for (const auto& [question, choice] : mistakes) {
    fmt::print("{}\n", question.id);
    if (!question.context.empty()) fmt::print("  {}\n", question.context);
    if (!question.question.empty()) fmt::print("  {}\n", question.question);
    for (std::size_t i = 0; i < question.choices.size(); ++i) {
      const auto index = static_cast<int>(i);
      fmt::print("  {} {}. {}\n", index == *question.label ? "✓" : index == choice ? "✗" : " ", i, question.choices[i]);
    }
    fmt::print("\n");
  }
}

void print_as_text(const State& state, const AccuracyTally& tally) {
  Table table({"", "accuracy", "95% interval", "questions", "ties"});
  table.add(row_of(state.scoring.system, tally.all()));
  for (const auto& [note, values] : tally.by()) {
    table.add_heading("by " + note);
    for (const auto& [value, accuracy] : values) table.add(row_of("  " + value, accuracy));
  }
  table.print();
}

int run(const State& state, const CommonOptions& common) {
  AccuracyTally tally;
  std::vector<Mistake> mistakes;
  const SourceFile source = score_questions(state.scoring, [&](const Question& question, const Answer& answer) {
    tally.add(question, answer);
    if (state.wrong && question.label && *question.label != answer.choice)
      mistakes.push_back({question, answer.choice});
  });
  note_labels(common, {source});
  if (tally.all().n == 0) {
    throw UserError(Complaint{state.scoring.data, 0, "questions with labels",
                              source.questions == 0 ? "no questions" : "none",
                              "Say where the labels are with --labels, or use gumption score"});
  }
  if (common.json) {
    print_as_json(state, tally, mistakes);
    return 0;
  }
  if (state.wrong) print_mistakes(mistakes);
  print_as_text(state, tally);
  if (tally.unlabelled() > 0) {
    print_note(common, fmt::format("{} questions without a label are left out.", with_commas(tally.unlabelled())));
  }
  return 0;
}

}  // namespace

Command eval_command() {
  auto state = std::make_shared<State>();
  Command command;
  command.name = "eval";
  command.about = "Measure a system's accuracy, in all and by category";
  command.examples = {"gumption eval --system first --data copa-dev.xml",
                      "gumption eval --system longest --set unit=words --data dev.jsonl --wrong --limit 100"};
  command.options.add_all(describe(state->scoring));
  command.options.add("wrong", state->wrong, "List the questions that were answered wrong");
  command.run = [state](const CommonOptions& common) {
    state->scoring.threads = common.threads;
    return run(*state, common);
  };
  return command;
}

}  // namespace gumption::cli
