#pragma once

// Training runs of the systems that ask a model.

#include "gumption/systems/training.h"

namespace gumption {

TrainReport train_bert(const BertOptions& options, const TrainOptions& training, const TrainingData& data,
                       const RunPlace& place);
TrainReport train_gpt(const GptTrainingOptions& options, const TrainOptions& training, const TrainingData& data,
                      const RunPlace& place);
TrainReport train_on_text(const MaskedTextOptions& options, const TrainOptions& training, const TrainingData& data,
                          const RunPlace& place);
TrainReport train_on_text(const CausalTextOptions& options, const TrainOptions& training, const TrainingData& data,
                          const RunPlace& place);

}  // namespace gumption
