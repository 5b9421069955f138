#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include <ATen/ATen.h>

#include "gumption/train/training_batch.h"

namespace gumption {

/// CUDA graphs of a forward and backward pass, one for each size of filled batch. Without CUDA in the build there are
/// none. Not thread-safe; used inside a WorkStream.
class StepRecordings {
 public:
  /// Computes a batch's loss, adds its gradients where they belong and gives the loss.
  using Pass = std::function<at::Tensor(const TrainingInput& input)>;
  /// Undoes what a first pass, which only sets libraries up, left in the gradients and in the generator.
  using Clear = std::function<void()>;

  static bool are_supported(const at::TensorOptions& options);

  StepRecordings(Pass pass, Clear clear, Sight sight, at::TensorOptions options);
  ~StepRecordings();

  /// The loss, valid until the next call.
  at::Tensor run(const TrainingBatch& batch);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Makes what the GPU's own generator draws in the work to come follow from `seed`.
void seed_gpu_generator(std::uint64_t seed);

}  // namespace gumption
