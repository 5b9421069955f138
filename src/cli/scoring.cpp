#include "cli/scoring.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "gumption/base/error.h"
#include "gumption/base/progress.h"
#include "gumption/systems/registry.h"

namespace gumption::cli {

OptionSet describe(ScoringOptions& options) {
  std::vector<std::string> names;
  for (const SystemEntry& entry : systems()) names.push_back(entry.name);
  OptionSet set;
  set.add_choice("system", options.system, "System to ask (see `gumption systems`)", names);
  set.add_file("data", options.data, "File of questions; - is standard input");
  set.add("set", options.settings, "An option of the system, as name=value");
  set.add("corpus", options.corpus, "Short for --set corpus=F: a count index, or text to count in");
  set.add("seed", options.seed, "Short for --set seed=N");
  set.add("batch", options.batch, "Questions to ask at a time; the answers don't depend on it", {1, 1'000'000});
  set.add_all(describe(options.read));
  return set;
}

namespace {

std::unique_ptr<System> make_system(const ScoringOptions& options) {
  if (options.system.empty()) throw UsageError("--system is required. `gumption systems` lists them.");
  const auto setup = system_entry(options.system).setup();
  const OptionSet described = setup->describe();
  try {
    for (const auto& setting : options.settings) described.assign(setting);
    for (const auto& corpus : options.corpus) described.set("corpus", corpus);
    if (options.threads > 0 && described.find("threads") != nullptr) {
      described.set("threads", std::to_string(options.threads));
    }
    if (options.seed && described.find("seed") != nullptr) described.set("seed", std::to_string(*options.seed));
  } catch (const UserError& error) {
    throw UsageError(fmt::format("--set, for the system {}: {}", options.system, error.what()));
  }
  return setup->make();
}

}  // namespace

SourceFile score_questions(const ScoringOptions& options,
                           const std::function<void(const Question&, const Answer&)>& take) {
  const auto system = make_system(options);
  if (options.data.empty()) throw UsageError("--data is required: a file of questions.");
  const auto answer = [&](std::span<const Question> questions) {
    const auto answers = system->answer(questions);
    ensure(answers.size() == questions.size(), "a system answers every question");
    for (std::size_t i = 0; i < questions.size(); ++i) take(questions[i], answers[i]);
  };
  std::vector<Question> batch;
  const bool all_first = system->wants_questions_first();
  const SourceFile source = for_each_question(options.data, options.read, [&](const Question& question) {
    batch.push_back(question);
    if (all_first || batch.size() < options.batch) return;
    answer(batch);
    batch.clear();
  });
  if (all_first) system->prepare(batch);
  const std::span<const Question> left = batch;
  for (std::size_t at = 0; at < left.size(); at += options.batch) {
    answer(left.subspan(at, std::min<std::size_t>(options.batch, left.size() - at)));
  }
  return source;
}

}  // namespace gumption::cli
