#pragma once

// Our own kernel for the optimiser on a GPU. Plain pointers, so that nvcc need not read LibTorch's headers.

#include <cstdint>

#include <cuda_runtime_api.h>

#include "gumption/train/adam_numbers.h"

namespace gumption {

/// One step over flat arrays, aligned to 16 bytes. With g = gradient * *scale: m = beta1 * m + (1 - beta1) * g;
/// v = beta2 * v + (1 - beta2) * g * g; weights -= rate * decay * weights; and then
/// weights -= rate * (m * correction1) / (sqrt(v) * correction2 + epsilon). `compute`: the weights' copy in bfloat16,
/// to be written as well, or nullptr. `scale`: one number on the device.
void launch_adam(float* weights, float* m, float* v, const void* gradient, bool gradient_is_bfloat16, void* compute,
                 const float* scale, std::int64_t count, const AdamNumbers& step, cudaStream_t stream);

}  // namespace gumption
