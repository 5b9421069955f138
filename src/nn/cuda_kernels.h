#pragma once

// Our own kernels for a GPU. Plain pointers, so that nvcc need not read LibTorch's headers.

#include <cstdint>

#include <cuda_runtime_api.h>

namespace gumption {

/// out = (x + y, normalised over each row of `hidden`) * weight + bias, all in bfloat16, computed in float32. `y` may be
/// nullptr. `hidden` must be a multiple of 8 and at most 8192; pointers must be aligned to 16 bytes.
void launch_layer_norm_of_sum(const void* x, const void* y, const void* weight, const void* bias, void* out,
                              std::int64_t rows, std::int64_t hidden, float epsilon, cudaStream_t stream);

}  // namespace gumption
