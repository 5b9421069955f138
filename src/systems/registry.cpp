#include "gumption/systems/registry.h"

#include <array>

#include <fmt/format.h>

#include "gumption/base/build_info.h"
#include "gumption/base/error.h"
#include "gumption/systems/correlation_systems.h"
#include "gumption/systems/hits_systems.h"
#include "gumption/systems/model_systems.h"
#include "gumption/systems/plain_systems.h"

namespace gumption {

namespace {

template <class Options, class Made>
std::unique_ptr<SystemSetup> setup() {
  return std::make_unique<SetupOf<Options, Made>>();
}

/// The setup of a system that the model factory makes.
template <class Options>
class ModelSetup final : public SystemSetup {
 public:
  OptionSet describe() override { return description_of(options_); }
  std::unique_ptr<System> make() override {
    require_feature("libtorch");
    ensure(model_factory() != nullptr, "a program that makes model systems has a model factory");
    return model_factory()->make(options_);
  }

 private:
  Options options_;
};

template <class Options>
std::unique_ptr<SystemSetup> model_setup() {
  return std::make_unique<ModelSetup<Options>>();
}

}  // namespace

std::span<const SystemEntry> systems() {
  static const std::array<SystemEntry, 13> entries = {
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
        setup<DiceOptions, DiceSystem>},
       {"bert", "A BERT that was fine-tuned to choose", model_setup<BertOptions>, true},
       {"gpt", "A GPT-1 that was fine-tuned to choose", model_setup<GptOptions>, true},
       {"lm", "How likely a GPT finds each choice after the question", model_setup<LanguageModelOptions>, true},
       {"masked-lm", "How likely a BERT finds each word of a choice when it is masked", model_setup<MaskedLmOptions>,
        true},
       {"similarity", "How near a BERT's mean vectors of question and choice are", model_setup<SimilarityOptions>,
        true},
       {"next-sentence", "Whether a BERT finds that the choice follows the question", model_setup<NextSentenceOptions>,
        true}}};
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
