#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gumption/base/error.h"
#include "gumption/cluster/process_group.h"
#include "gumption/measure/accuracy.h"
#include "gumption/measure/paired_tests.h"
#include "gumption/measure/score_file.h"

#include "cli/command.h"
#include "cli/comparing.h"
#include "cli/output.h"
#include "cli/scoring.h"

namespace gumption::cli {

namespace {

struct State {
  ScoringOptions scoring;
  bool wrong = false;
  std::string against;
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
  int label = 0;
};

/// What is kept for a comparison with another system's answers.
struct Pairing {
  ScoreFile other;
  Gold gold;
  std::vector<bool> right;  // of the labelled questions

  void add(const Question& question, const Answer& answer) {
    gold.questions.push_back({question.id, question.choices.size(), question.label});
    if (question.label) right.push_back(*question.label == answer.choice);
  }

  /// With a limit, the other file may answer more questions than were asked.
  Comparison compared(bool has_limit) const {
    check_gold(gold);
    const Marks marks = mark(other, gold, has_limit ? Extras::kIgnored : Extras::kRefused);
    return compare(count_pairs(right, marks.right));
  }
};

/// The interval's keys have the difference's name, since "low" and "high" are the accuracy's own.
void add_rival(nlohmann::ordered_json& json, const Rival& rival) {
  const PairedCounts& counts = rival.result.counts;
  const auto n = static_cast<double>(counts.n());
  json["against"] = rival.name;
  json["accuracy_a"] = static_cast<double>(counts.correct_a()) / n;
  json["accuracy_b"] = static_cast<double>(counts.correct_b()) / n;
  json["difference"] = counts.difference();
  json["difference_low"] = rival.result.interval.low;
  json["difference_high"] = rival.result.interval.high;
  json["p_randomisation"] = rival.result.p_randomisation;
  json["p_mcnemar"] = rival.result.p_mcnemar;
}

void print_as_json(const State& state, const AccuracyTally& tally, std::uint64_t truncated,
                   const std::vector<Rival>& rivals, const std::vector<Mistake>& mistakes) {
  nlohmann::ordered_json json;
  json["system"] = system_name(state.scoring);
  if (!state.scoring.model.empty()) json["model"] = state.scoring.model;
  json["data"] = state.scoring.data;
  json.update(to_json(tally.all()));
  if (tally.unlabelled() > 0) json["unlabelled"] = tally.unlabelled();
  if (truncated > 0) json["truncated"] = truncated;
  for (const Rival& rival : rivals) add_rival(json, rival);
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
      entry["label"] = mistake.label;
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
  for (const Mistake& mistake : mistakes) {
    fmt::print("{}\n", printable(mistake.question.id));
    print_question(mistake.question, [&](std::size_t choice) {
      const auto index = static_cast<int>(choice);
      if (index == mistake.label) return "✓";
      return index == mistake.choice ? "✗" : " ";
    });
  }
}

void print_as_text(const State& state, const AccuracyTally& tally) {
  Table table({"", "accuracy", "95% interval", "questions", "ties"});
  table.add(row_of(system_name(state.scoring), tally.all()));
  for (const auto& [note, values] : tally.by()) {
    table.add_heading("by " + note);
    for (const auto& [value, accuracy] : values) table.add(row_of("  " + value, accuracy));
  }
  table.print();
}

int run(const State& state, const CommonOptions& common) {
  std::optional<Pairing> pairing;
  if (!state.against.empty()) pairing = Pairing{read_score_file(state.against), {state.scoring.data, {}, {}}, {}};
  AccuracyTally tally;
  std::vector<Mistake> mistakes;
  bool is_first = true;
  const ScoringResult result = score_questions(state.scoring, [&](const Scored& scored) {
    for (std::size_t i = 0; i < scored.questions.size(); ++i) {
      const Question& question = scored.questions[i];
      const Answer& answer = scored.answers[i];
      tally.add(question, answer);
      if (pairing) pairing->add(question, answer);
      if (state.wrong && question.label && *question.label != answer.choice)
        mistakes.push_back({question, answer.choice, *question.label});
    }
    // Said while there is still something to be saved by stopping.
    if (is_first && tally.all().n == 0) {
      print_note(common, fmt::format("None of the first {} questions has a label (see --labels).",
                                     with_commas(tally.unlabelled())));
    }
    is_first = false;
  });
  const SourceFile& source = result.source;
  print_notes(common, result);
  note_labels(common, {source});
  if (tally.all().n == 0) {
    throw UserError(Complaint{state.scoring.data, 0, "questions with labels",
                              source.questions == 0 ? "no questions" : "none",
                              "Say where the labels are with --labels, or use gumption score"});
  }
  if (!is_first_process()) return 0;
  std::vector<Rival> rivals;
  if (pairing) rivals.push_back({state.against, pairing->compared(state.scoring.read.limit != 0)});
  if (common.json) {
    print_as_json(state, tally, result.truncated, rivals, mistakes);
    return 0;
  }
  if (state.wrong) print_mistakes(mistakes);
  print_as_text(state, tally);
  if (!rivals.empty()) {
    fmt::print("\n");
    print_rivals(rivals);
  }
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
                      "gumption eval --system longest --set unit=words --data dev.jsonl --wrong --limit 100",
                      "gumption eval --system longest --data dev.jsonl --against first.jsonl",
                      "gumption eval --model all-MiniLM-L6-v2 --method similarity --data copa-dev.xml"};
  command.options.add_all(describe(state->scoring));
  command.options.add_file("against", state->against,
                           "Another system's score file or COPA responses, to compare this one with");
  command.options.add("wrong", state->wrong, "List the questions that were answered wrong");
  command.needs_engine = [state] { return needs_engine(state->scoring); };
  command.run = [state](const CommonOptions& common) {
    state->scoring.threads = common.threads;
    return run(*state, common);
  };
  return command;
}

}  // namespace gumption::cli
