#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gumption/base/error.h"
#include "gumption/base/files.h"
#include "gumption/data/predictions.h"
#include "gumption/systems/score_log.h"

#include "cli/command.h"
#include "cli/output.h"
#include "cli/scoring.h"

namespace gumption::cli {

namespace {

struct State {
  ScoringOptions scoring;
  std::string out = "-";
  std::string as = "scores";
};

/// The lines of a log in the form that was asked for.
void write_as(const std::string& form, const ScoreLog& log, AtomicFile& file) {
  if (form != "scores") file.write(prediction_header(form));
  log.read([&](const std::string& line) {
    if (form == "scores") {
      file.write(line + "\n");
      return;
    }
    const auto row = nlohmann::json::parse(line);
    file.write(prediction_line(form, {row["id"], row["choice"], row["scores"].size()}));
  });
}

std::string line_as(const std::string& form, const Question& question, const Answer& answer) {
  if (form == "scores") return score_line(question, answer) + "\n";
  return prediction_line(form, {question.id, answer.choice, question.choices.size()});
}

ScoringResult score_to_stdout(const State& state) {
  AtomicFile file("-");
  if (state.as != "scores") file.write(prediction_header(state.as));
  ScoringResult result = score_questions(state.scoring, [&](const Scored& scored) {
    for (std::size_t i = 0; i < scored.questions.size(); ++i) {
      file.write(line_as(state.as, scored.questions[i], scored.answers[i]));
    }
  });
  file.commit();
  return result;
}

/// Through a log beside the file, so that a killed run can go on.
ScoringResult score_to_file(const State& state, const CommonOptions& common) {
  if (state.scoring.data.empty()) throw UsageError("--data is required: a file of questions.");
  std::error_code none;
  if (std::filesystem::equivalent(state.out, state.scoring.data, none)) {
    throw UsageError("--out is the file of questions itself. Name another.");
  }
  AtomicFile file(state.out);
  ScoreLog log(state.out, description_of_run(state.scoring));
  if (log.answered().count > 0) {
    print_note(common, fmt::format("going on behind {} questions that were answered before.", log.answered().count));
  }
  ScoringResult result = score_questions(
      state.scoring,
      [&](const Scored& scored) {
        std::string lines;
        for (std::size_t i = 0; i < scored.questions.size(); ++i) {
          lines += score_line(scored.questions[i], scored.answers[i]) + "\n";
        }
        log.add(lines);
      },
      log.answered());
  write_as(state.as, log, file);
  file.commit();
  log.remove();
  return result;
}

/// In a process that helps the first one and writes nothing itself.
ScoringResult score_for_others(const State& state) {
  return score_questions(state.scoring, [](const Scored&) {});
}

int run(const State& state, const CommonOptions& common) {
  const ScoringResult result = only_helps(state.scoring) ? score_for_others(state)
                               : state.out == "-"        ? score_to_stdout(state)
                                                         : score_to_file(state, common);
  note_labels(common, {result.source});
  print_notes(common, result);
  return 0;
}

}  // namespace

Command score_command() {
  auto state = std::make_shared<State>();
  Command command;
  command.name = "score";
  command.about = "Write a system's scores for every choice, or its predictions for a leaderboard";
  command.examples = {
      "gumption score --system longest --data copa-dev.xml --out scores.jsonl",
      "gumption score --system random --seed 3 --data test.jsonl --as labels-from-1 --out predictions.lst",
      "gumption score --model bert-base-uncased --method masked-likelihood --data copa-dev.xml --out scores.jsonl"};
  command.options.add_all(describe(state->scoring));
  command.options.add_file("out", state->out,
                           "File to write; - is standard output. A killed run goes on from OUT.partial");
  std::vector<std::string> forms = {"scores"};
  forms.insert(forms.end(), prediction_formats().begin(), prediction_formats().end());
  command.options.add_choice("as", state->as, "JSON Lines of scores, or the form a leaderboard takes", forms);
  command.options.add("details", state->scoring.details, "Add the log-probability of every token, where there is one");
  command.needs_engine = [state] { return needs_engine(state->scoring); };
  command.run = [state](const CommonOptions& common) {
    state->scoring.threads = common.threads;
    return run(*state, common);
  };
  return command;
}

}  // namespace gumption::cli
