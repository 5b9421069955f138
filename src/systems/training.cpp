#include "gumption/systems/training.h"

#include <array>

#include <fmt/format.h>

#include "gumption/base/error.h"

namespace gumption {

OptionSet describe(GptTrainingOptions& options) {
  OptionSet set = describe(options.gpt);
  set.add("lm_weight", options.lm_weight, "Weight of the words' loss beside the choices'", {0, 1000});
  return set;
}

OptionSet describe(MaskedTextOptions& options) {
  OptionSet set = describe(options.model);
  set.add("mask_share", options.mask_share, "Share of the tokens that are to be guessed", {0.001, 0.999});
  return set;
}

OptionSet describe(CausalTextOptions& options) { return describe(options.model); }

namespace {

template <class Options>
class TrainingSetupOf final : public TrainingSetup {
 public:
  OptionSet describe() override {
    OptionSet set = description_of(options_);
    set.add_all(description_of(training));
    return set;
  }
  TrainReport train(const TrainingData& data, const RunPlace& place) override {
    ensure(model_factory() != nullptr, "a program that trains has LibTorch");
    return model_factory()->train(options_, training, data, place);
  }

 private:
  Options options_;
};

template <class Options>
std::unique_ptr<TrainingSetup> setup_of() {
  return std::make_unique<TrainingSetupOf<Options>>();
}

/// GPT-1's own settings, where they differ from BERT's.
std::unique_ptr<TrainingSetup> gpt_setup() {
  auto setup = setup_of<GptTrainingOptions>();
  setup->training.lr = 6.25e-5;
  setup->training.warmup = 0.002;
  setup->training.adam.epsilon = 1e-8;
  return setup;
}

}  // namespace

std::span<const TrainableEntry> trainable_systems() {
  static const std::array<TrainableEntry, 4> entries = {{
      {"bert", "A BERT that chooses: a softmax over the choices' [CLS] vectors", setup_of<BertOptions>},
      {"gpt", "A GPT-1 that chooses and goes on predicting words: both losses", gpt_setup},
      {"mlm", "A BERT that guesses masked words of plain text", setup_of<MaskedTextOptions>, true},
      {"clm", "A GPT-1 or GPT-2 that predicts the next word of plain text", setup_of<CausalTextOptions>, true},
  }};
  return entries;
}

const TrainableEntry& trainable_entry(std::string_view name) {
  std::vector<std::string> names;
  for (const TrainableEntry& entry : trainable_systems()) {
    if (entry.name == name) return entry;
    names.push_back(entry.name);
  }
  throw UserError(fmt::format("There is no system {} to train. {}", in_quotes(name), suggest(name, names)));
}

}  // namespace gumption
