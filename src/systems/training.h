#pragma once

// The systems that can be trained: their options, and how a run is begun. As with answering, LibTorch is in the room
// `models` alone, which hands its factory in.

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gumption/data/question.h"
#include "gumption/systems/model_systems.h"
#include "gumption/train/run_folder.h"
#include "gumption/train/train_options.h"
#include "gumption/train/train_report.h"

namespace gumption {

/// GPT-1's two losses: to choose, and to go on predicting words.
struct GptTrainingOptions {
  GptOptions gpt;
  double lm_weight = 0.5;  // of the words' loss
};
OptionSet describe(GptTrainingOptions& options);

/// Words of running text, some of them masked.
struct MaskedTextOptions {
  ModelOptions model;
  double mask_share = 0.15;  // of the tokens
};
OptionSet describe(MaskedTextOptions& options);

/// Words of running text, one after another.
struct CausalTextOptions {
  ModelOptions model;
};
OptionSet describe(CausalTextOptions& options);

struct TrainingData {
  std::vector<Question> questions = {};     // all with labels
  std::string format = {};                  // of the questions
  std::vector<Question> dev = {};           // to measure on; all with labels
  std::vector<std::string> texts = {};      // files, for systems that learn from text
  std::vector<std::string> dev_texts = {};  // to measure on
};

struct RunPlace {
  std::filesystem::path out;
  bool resume = false;
  std::vector<RunSetting> settings = {};
};

/// A trainable system's options before a run: describe() binds to them, train() reads them.
class TrainingSetup {
 public:
  virtual ~TrainingSetup() = default;
  /// The system's own options and the trainer's.
  virtual OptionSet describe() = 0;
  /// Only in a program with LibTorch: model_factory() must be there.
  virtual TrainReport train(const TrainingData& data, const RunPlace& place) = 0;

  TrainOptions training;
};

struct TrainableEntry {
  std::string name;
  std::string about;  // one line
  std::unique_ptr<TrainingSetup> (*setup)() = nullptr;
  bool learns_from_text = false;
};

std::span<const TrainableEntry> trainable_systems();

/// The one of that name; UserError, with a suggestion, where there is none.
const TrainableEntry& trainable_entry(std::string_view name);

}  // namespace gumption
