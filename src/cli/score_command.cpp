#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gumption/base/files.h"
#include "gumption/cluster/process_group.h"
#include "gumption/data/predictions.h"

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

std::string score_line(const Question& question, const Answer& answer) {
  nlohmann::ordered_json row;
  row["id"] = question.id;
  row["scores"] = answer.scores;
  row["choice"] = answer.choice;
  if (question.label) row["label"] = *question.label;
  return row.dump() + "\n";
}

int run(const State& state, const CommonOptions& common) {
  AtomicFile file(state.out);
  const bool as_scores = state.as == "scores";
  if (!as_scores) file.write(prediction_header(state.as));
  const SourceFile source = score_questions(state.scoring, [&](const Question& question, const Answer& answer) {
    if (!is_first_process()) return;
    file.write(as_scores ? score_line(question, answer)
                         : prediction_line(state.as, {question.id, answer.choice, question.choices.size()}));
  });
  if (is_first_process()) file.commit();
  note_labels(common, {source});
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
      "gumption score --system random --seed 3 --data test.jsonl --as labels-from-1 --out predictions.lst"};
  command.options.add_all(describe(state->scoring));
  command.options.add_file("out", state->out, "File to write; - is standard output");
  std::vector<std::string> forms = {"scores"};
  forms.insert(forms.end(), prediction_formats().begin(), prediction_formats().end());
  command.options.add_choice("as", state->as, "JSON Lines of scores, or the form a leaderboard takes", forms);
  command.run = [state](const CommonOptions& common) {
    state->scoring.threads = common.threads;
    return run(*state, common);
  };
  return command;
}

}  // namespace gumption::cli
