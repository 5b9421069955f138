#include "gumption/models/factory.h"

#include "gumption/models/bert_systems.h"
#include "gumption/models/gpt_systems.h"
#include "gumption/models/training.h"
#include "gumption/nn/engine.h"
#include "gumption/systems/model_systems.h"

namespace gumption {

namespace {

class Factory final : public ModelFactory {
 public:
  EngineReport engine_report() const override {
    return {libtorch_version(), blas_name(), gpu_name(), gpu_is_usable(), bfloat16_is_fast()};
  }
  std::unique_ptr<System> make(const BertOptions& options) const override {
    return std::make_unique<BertSystem>(options);
  }
  std::unique_ptr<System> make(const GptOptions& options) const override {
    return std::make_unique<GptSystem>(options);
  }
  std::unique_ptr<System> make(const LanguageModelOptions& options) const override {
    return std::make_unique<LanguageModelSystem>(options);
  }
  std::unique_ptr<System> make(const MaskedLmOptions& options) const override {
    return std::make_unique<MaskedLmSystem>(options);
  }
  std::unique_ptr<System> make(const SimilarityOptions& options) const override {
    return std::make_unique<SimilaritySystem>(options);
  }
  std::unique_ptr<System> make(const NextSentenceOptions& options) const override {
    return std::make_unique<NextSentenceSystem>(options);
  }
  TrainReport train(const BertOptions& options, const TrainOptions& training, const TrainingData& data,
                    const RunPlace& place) const override {
    return train_bert(options, training, data, place);
  }
  TrainReport train(const GptTrainingOptions& options, const TrainOptions& training, const TrainingData& data,
                    const RunPlace& place) const override {
    return train_gpt(options, training, data, place);
  }
  TrainReport train(const MaskedTextOptions& options, const TrainOptions& training, const TrainingData& data,
                    const RunPlace& place) const override {
    return train_on_text(options, training, data, place);
  }
  TrainReport train(const CausalTextOptions& options, const TrainOptions& training, const TrainingData& data,
                    const RunPlace& place) const override {
    return train_on_text(options, training, data, place);
  }
};

}  // namespace

void use_models() {
  static const Factory factory;
  set_model_factory(&factory);
}

}  // namespace gumption
