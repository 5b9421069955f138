#pragma once

// The systems that ask a neural model: their options, and how they are made. Making one takes LibTorch, which costs a
// program a quarter of a second when it starts; so the room `models` hands its factory in where it is linked.

#include <cstdint>
#include <memory>
#include <string>

#include "gumption/systems/system.h"

namespace gumption {

/// What all of them have.
struct ModelOptions {
  std::string model;      // a folder or a pulled name
  std::string tokenizer;  // a folder; empty: the model's own
  std::string device = "cpu";
  std::string precision = "float32";
  std::uint64_t threads = 0;       // of the CPU; 0: one for each core
  std::uint64_t max_length = 0;    // tokens of a sequence; 0: as many as the model has positions
  std::uint64_t batch_tokens = 0;  // tokens that go through the model at a time; 0: what suits the device
};
OptionSet describe(ModelOptions& options);

/// BERT with a multiple-choice head.
struct BertOptions {
  ModelOptions model;
  std::string form = "auto";  // the template; auto: by the data's format
  bool no_context = false;
  bool no_question = false;
};
OptionSet describe(BertOptions& options);

/// GPT-1 with a classification head.
struct GptOptions {
  ModelOptions model;
  bool no_context = false;
  bool no_question = false;
};
OptionSet describe(GptOptions& options);

/// What a likelihood is divided by, or what is taken from it.
struct LikelihoodOptions {
  ModelOptions model;
  std::string normalise = "none";  // none, tokens, chars or prior
  bool details = false;            // keep the log-probability of every token
};
OptionSet describe(LikelihoodOptions& options);
struct LanguageModelOptions : LikelihoodOptions {};
struct MaskedLmOptions : LikelihoodOptions {};

struct SimilarityOptions {
  ModelOptions model;
};
OptionSet describe(SimilarityOptions& options);

struct NextSentenceOptions {
  ModelOptions model;
};
OptionSet describe(NextSentenceOptions& options);

/// What is known about the engine that models run on.
struct EngineReport {
  std::string libtorch;  // its version
  std::string blas;      // what multiplies matrices on the CPU
  std::string gpu;       // its name, or why there is none
  bool gpu_is_usable = false;
  bool bfloat16_is_fast = false;  // the processor multiplies it natively
};

struct GptTrainingOptions;
struct MaskedTextOptions;
struct CausalTextOptions;
struct TrainOptions;
struct TrainReport;
struct TrainingData;
struct RunPlace;

class ModelFactory {
 public:
  virtual ~ModelFactory() = default;
  virtual EngineReport engine_report() const = 0;
  virtual std::unique_ptr<System> make(const BertOptions& options) const = 0;
  virtual std::unique_ptr<System> make(const GptOptions& options) const = 0;
  virtual std::unique_ptr<System> make(const LanguageModelOptions& options) const = 0;
  virtual std::unique_ptr<System> make(const MaskedLmOptions& options) const = 0;
  virtual std::unique_ptr<System> make(const SimilarityOptions& options) const = 0;
  virtual std::unique_ptr<System> make(const NextSentenceOptions& options) const = 0;

  // Training: see training.h.
  virtual TrainReport train(const BertOptions& options, const TrainOptions& training, const TrainingData& data,
                            const RunPlace& place) const = 0;
  virtual TrainReport train(const GptTrainingOptions& options, const TrainOptions& training, const TrainingData& data,
                            const RunPlace& place) const = 0;
  virtual TrainReport train(const MaskedTextOptions& options, const TrainOptions& training, const TrainingData& data,
                            const RunPlace& place) const = 0;
  virtual TrainReport train(const CausalTextOptions& options, const TrainOptions& training, const TrainingData& data,
                            const RunPlace& place) const = 0;
};

/// Sets what makes the systems of this process; `factory` must outlive them. Call before starting threads.
void set_model_factory(const ModelFactory* factory);

/// The factory, or nullptr in a program without LibTorch.
const ModelFactory* model_factory();

/// The templates of BERT's input, "auto" first.
const std::vector<std::string>& bert_forms();

/// The system that a checkpoint's heads suggest: multiple choice where it has that head, else the likelihood of a
/// language model, masked words, or similarity. UserError where the folder holds no model.
std::string system_for_model(const std::string& model);

/// The system that a method's name stands for ("likelihood": lm); UserError, with the known ones, for any other name.
std::string system_for_method(const std::string& method, const std::string& model);
const std::vector<std::string>& scoring_methods();

}  // namespace gumption
