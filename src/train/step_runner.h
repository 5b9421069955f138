#pragma once

// Runs batches forward and backward. On a GPU that is recorded once for each size of batch and replayed as one.

#include <cstdint>
#include <memory>

#include <ATen/ATen.h>

#include "gumption/train/parameter_store.h"
#include "gumption/train/training_batch.h"

namespace gumption {

/// Makes a stream of its own the one that this thread's GPU work goes to, as long as it lives: what is recorded can't
/// be recorded on the default one. Does nothing on the CPU.
class WorkStream {
 public:
  explicit WorkStream(const at::Device& device);
  WorkStream(const WorkStream&) = delete;
  WorkStream& operator=(const WorkStream&) = delete;
  ~WorkStream();

  /// Waits until all that was begun is done.
  void wait() const;

 private:
  struct Guard;
  std::unique_ptr<Guard> guard_;
};

class StepRecordings;

/// Not thread-safe. On a GPU, used inside a WorkStream.
class StepRunner {
 public:
  /// All must outlive it. `recorded`: replay recordings where the device has them; the plain way is the reference.
  StepRunner(const Learner& learner, ParameterStore& store, const DropoutRates& rates, bool recorded = true);
  ~StepRunner();

  /// Adds a batch's gradients to the store's and gives its loss: one number on the device, without waiting for it. The
  /// same `draw` drops the same activations.
  at::Tensor run(const TrainingBatch& batch, std::uint64_t draw);

 private:
  at::Tensor run_plainly(const TrainingBatch& batch, std::uint64_t draw);

  const Learner& learner_;
  DropoutRates rates_;
  bool drops_;
  std::uint64_t draw_ = 0;  // of the batch that runs
  at::Tensor seed_;         // on a GPU with kernels that draw for themselves
  std::unique_ptr<StepRecordings> recordings_;
};

}  // namespace gumption
