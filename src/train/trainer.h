#pragma once

// Fits a model to a task.

#include <cstdint>
#include <functional>
#include <span>

#include "gumption/cluster/process_group.h"
#include "gumption/train/gradient_sum.h"
#include "gumption/train/parameter_store.h"
#include "gumption/train/run_folder.h"
#include "gumption/train/step_runner.h"
#include "gumption/train/task.h"
#include "gumption/train/train_options.h"
#include "gumption/train/train_report.h"

namespace gumption {

/// What a run needs beside its options.
struct TrainerParts {
  Task& task;
  Learner& learner;
  ParameterStore& store;
  ProcessGroup& group;
  RunFolder* folder = nullptr;  // in the first process only
  std::int64_t batch_tokens = 0;
  /// Writes the model into the run's folder, over one that is there. Called in the first process only.
  std::function<void(std::span<const NamedTensor> parameters)> write_model;
  /// How gradients are summed; nullptr: not at all in a single process, else as make_gradient_sum() has it.
  GradientSum* sum = nullptr;
};

/// Trains until the last step, until early stopping, or until SIGTERM or SIGINT came; goes on from the folder's state
/// where there is one. The same options, data and number of threads give the same weights, interrupted or not.
/// UserError where the loss is no longer finite.
TrainReport train(const TrainerParts& parts, const TrainOptions& options);

}  // namespace gumption
