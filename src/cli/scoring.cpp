#include "cli/scoring.h"

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
  std::vector<Question> batch;
  const auto answer_batch = [&] {
    const auto answers = system->answer(batch);
    ensure(answers.size() == batch.size(), "a system answers every question");
    for (std::size_t i = 0; i < batch.size(); ++i) take(batch[i], answers[i]);
    batch.clear();
  };
  const SourceFile source = for_each_question(options.data, options.read, [&](const Question& question) {
    batch.push_back(question);
    if (batch.size() == options.batch) answer_batch();
  });
  if (!batch.empty()) answer_batch();
  return source;
}

}  // namespace gumption::cli
