#pragma once

// Attention of a training block on a GPU, forward and backward. Two ways are our own: short segments that see
// themselves only go through one kernel, trees with branches through another. What they don't take is LibTorch's.

#include <cstdint>

#include <ATen/ATen.h>

#include "gumption/nn/packed.h"
#include "gumption/nn/training_kernels.h"

namespace gumption {

struct ProjectedGradient {
  at::Tensor projected;
  at::Tensor bias_sums;  // [parts, 3 * hidden] in float32: their sum is the bias's gradient
};

/// What attention is given, and what its backward pass needs.
struct TrainingAttention {
  SegmentOffsets offsets;
  at::Tensor bias;  // of the projections: float32 [3 * hidden]
  std::int64_t heads = 0;
  bool causal = false;
  DropoutDraw dropout;  // LibTorch's way draws from LibTorch's generator instead

  /// Whether attend() takes the projections without their bias.
  bool adds_bias() const { return way() == Way::kShort; }
  /// projections: bfloat16 [tokens, 3 * hidden], the queries', the keys' and the values'. Sets what stands below.
  void attend(const at::Tensor& projections);
  /// From the gradient of what was seen. Behind attend().
  ProjectedGradient backward(const at::Tensor& out_gradient) const;

  at::Tensor projected;
  at::Tensor seen;      // [tokens, hidden]
  at::Tensor log_sums;  // of each query's scores

 private:
  enum class Way { kShort, kTrees, kLibTorch };
  Way way() const;
  at::Tensor backward_by_libtorch(const at::Tensor& out_gradient) const;
  void attend_by_libtorch();

  at::Tensor keys_and_values_;  // gathered, where branches share keys
  at::Tensor generator_;
  at::Tensor generator_unused_;
};

}  // namespace gumption
