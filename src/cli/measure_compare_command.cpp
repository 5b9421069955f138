#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gumption/base/error.h"
#include "gumption/measure/accuracy.h"
#include "gumption/measure/paired_tests.h"
#include "gumption/measure/score_file.h"

#include "cli/command.h"
#include "cli/comparing.h"
#include "cli/output.h"

namespace gumption::cli {

namespace {

struct State {
  std::vector<std::string> files;
  std::string gold;
  ReadOptions read;
  ComparisonOptions comparison;
};

/// One file's answers, held against the right ones.
struct Contestant {
  std::string name;
  Accuracy accuracy;
  double p_chance = 1;
  std::vector<bool> right;
};

Contestant contestant_of(const ScoreFile& answers, const Gold& gold, Extras extras) {
  Marks marks = mark(answers, gold, extras);
  Contestant contestant;
  contestant.name = answers.name;
  contestant.accuracy = {marks.right.size(), marks.correct(), marks.ties};
  contestant.p_chance = binomial_two_sided(contestant.accuracy.correct, contestant.accuracy.n, gold.chance());
  contestant.right = std::move(marks.right);
  return contestant;
}

/// "accuracy" with a suffix, and what else belongs to one file.
void add_contestant(nlohmann::ordered_json& json, const Contestant& contestant, const std::string& suffix) {
  json[suffix] = contestant.name;
  json["accuracy_" + suffix] = contestant.accuracy.share();
  json["ties_" + suffix] = contestant.accuracy.ties;
  json["p_chance_" + suffix] = contestant.p_chance;
}

void add_comparison(nlohmann::ordered_json& json, const Comparison& result) {
  json["difference"] = result.counts.difference();
  json["low"] = result.interval.low;
  json["high"] = result.interval.high;
  json["only_a"] = result.counts.only_a;
  json["only_b"] = result.counts.only_b;
  json["p_randomisation"] = result.p_randomisation;
  json["p_mcnemar"] = result.p_mcnemar;
}

/// Two files: all keys on one level. More: the first file's there, and a list of the others.
void print_as_json(const State& state, const Gold& gold, const std::vector<Contestant>& contestants,
                   const std::vector<Rival>& rivals) {
  nlohmann::ordered_json json;
  json["gold"] = gold.name;
  json["n"] = gold.labelled();
  if (gold.labelled() < gold.questions.size()) json["unlabelled"] = gold.questions.size() - gold.labelled();
  json["chance"] = gold.chance();
  add_contestant(json, contestants[0], "a");
  if (rivals.size() == 1) {
    add_contestant(json, contestants[1], "b");
    add_comparison(json, rivals[0].result);
  } else {
    const CorrectedP holm = corrected(rivals);
    for (std::size_t i = 0; i < rivals.size(); ++i) {
      nlohmann::ordered_json entry;
      add_contestant(entry, contestants[i + 1], "b");
      add_comparison(entry, rivals[i].result);
      entry["p_randomisation_holm"] = holm.randomisation[i];
      entry["p_mcnemar_holm"] = holm.mcnemar[i];
      json["comparisons"].push_back(std::move(entry));
    }
  }
  json["shuffles"] = state.comparison.shuffles;
  json["resamples"] = state.comparison.resamples;
  json["seed"] = state.comparison.seed;
  print_json(json);
}

void print_as_text(const Gold& gold, const std::vector<Contestant>& contestants, const std::vector<Rival>& rivals) {
  Table table(
      {"", "accuracy", "95% interval", fmt::format("p against {}", percent(gold.chance())), "questions", "ties"});
  for (const Contestant& contestant : contestants) {
    const Interval interval = contestant.accuracy.interval();
    table.add({contestant.name, percent(contestant.accuracy.share()),
               fmt::format("{:.1f} – {:.1f}", 100 * interval.low, 100 * interval.high), with_stars(contestant.p_chance),
               with_commas(contestant.accuracy.n), with_commas(contestant.accuracy.ties)});
  }
  table.print();
  fmt::print("\n{}\n", contestants[0].name);
  print_rivals(rivals);
}

Gold gold_for(const State& state, const ScoreFile& first, const CommonOptions& common) {
  if (!state.gold.empty()) {
    Gold gold = read_gold(state.gold, state.read);
    if (gold.source) note_labels(common, {*gold.source});
    return gold;
  }
  if (!first.has_scores) throw UsageError("--gold is required: a file with the right answers.");
  return gold_of(first, state.read.limit);
}

int run(const State& state, const CommonOptions& common) {
  if (state.files.size() < 2) throw UsageError("two or more files of answers are required.");
  std::vector<ScoreFile> files;
  files.reserve(state.files.size());
  for (const auto& name : state.files) files.push_back(read_score_file(name));
  const Gold gold = gold_for(state, files[0], common);
  std::vector<Contestant> contestants;
  const Extras extras = state.read.limit == 0 ? Extras::kRefused : Extras::kIgnored;
  contestants.reserve(files.size());
  for (const ScoreFile& file : files) contestants.push_back(contestant_of(file, gold, extras));
  std::vector<Rival> rivals;
  for (std::size_t i = 1; i < contestants.size(); ++i) {
    const PairedCounts counts = count_pairs(contestants[0].right, contestants[i].right);
    rivals.push_back({contestants[i].name, compare(counts, state.comparison)});
  }
  if (common.json) {
    print_as_json(state, gold, contestants, rivals);
    return 0;
  }
  print_as_text(gold, contestants, rivals);
  if (gold.labelled() < gold.questions.size()) {
    print_note(common, fmt::format("{} questions without a label are left out.",
                                   with_commas(gold.questions.size() - gold.labelled())));
  }
  return 0;
}

}  // namespace

Command measure_compare_command() {
  auto state = std::make_shared<State>();
  Command command;
  command.name = "compare";
  command.about = "Say whether one system's answers are better than others' to the same questions";
  command.examples = {"gumption measure compare PMIgutenbergW5.dev baselineFirst.dev --gold gold.dev",
                      "gumption measure compare ours.jsonl first.jsonl longest.jsonl --gold dev.jsonl --json"};
  command.operands = {
      {"FILES", "Score files or COPA responses; the first is compared with each other", &state->files, true, true}};
  command.options.add_file("gold", state->gold,
                           "Right answers: questions, COPA responses, or a score file with labels (by default the "
                           "labels of the first file)");
  command.options.add_all(describe(state->read)).add_all(describe(state->comparison));
  command.run = [state](const CommonOptions& common) { return run(*state, common); };
  return command;
}

}  // namespace gumption::cli
