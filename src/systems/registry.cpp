#include "gumption/systems/registry.h"

#include <array>

#include <fmt/format.h>

#include "gumption/base/error.h"
#include "gumption/systems/correlation_systems.h"
#include "gumption/systems/hits_systems.h"
#include "gumption/systems/plain_systems.h"

namespace gumption {

namespace {

template <class Options, class Made>
std::unique_ptr<SystemSetup> setup() {
  return std::make_unique<SetupOf<Options, Made>>();
}

}  // namespace

std::span<const SystemEntry> systems() {
  static const std::array<SystemEntry, 7> entries = {
      {{"random", "Chooses by chance, the same choice for the same question and seed",
        setup<RandomOptions, RandomSystem>},
       {"first", "Always chooses the first choice", setup<FirstOptions, FirstSystem>},
       {"longest", "Chooses the longest choice: what length alone gives away", setup<LongestOptions, LongestSystem>},
       {"hits-pair", "Chooses by the documents that hold pairs of words, from a search index or cluster",
        setup<HitsPairOptions, HitsPairSystem>},
       {"hits-phrase", "Chooses by the documents that hold the whole texts, from a search index or cluster",
        setup<HitsPhraseOptions, HitsPhraseSystem>},
       {"pmi", "Pointwise mutual information of the premise's and the choice's words in a large text",
        setup<PmiOptions, PmiSystem>},
       {"dice", "Dice's coefficient of the premise's and the choice's words in a large text",
        setup<DiceOptions, DiceSystem>}}};
  return entries;
}

const SystemEntry& system_entry(std::string_view name) {
  std::vector<std::string> known;
  for (const SystemEntry& entry : systems()) {
    if (entry.name == name) return entry;
    known.push_back(entry.name);
  }
  throw UserError(fmt::format("There is no system {}. {}", in_quotes(name), suggest(name, known)));
}

}  // namespace gumption
