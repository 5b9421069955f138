#pragma once

namespace gumption {

/// The numbers of one step of Adam. The corrections are those of the means for having begun at zero: 1 / (1 - beta1^t)
/// and 1 / sqrt(1 - beta2^t), or 1 without. No LibTorch, for nvcc.
struct AdamNumbers {
  float rate = 0.0F;
  float beta1 = 0.0F;
  float beta2 = 0.0F;
  float epsilon = 0.0F;
  float decay = 0.0F;  // 0 for what has no weight decay
  float correction1 = 1.0F;
  float correction2 = 1.0F;
};

}  // namespace gumption
