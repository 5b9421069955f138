#pragma once

// Our own kernels for a GPU. Plain pointers, so that nvcc need not read LibTorch's headers.

#include <cstdint>

#include <cuda_runtime_api.h>

namespace gumption {

/// out = (x + y, normalised over each row of `hidden`) * weight + bias, all in bfloat16, computed in float32. `y` may
/// be nullptr. `hidden` must be a multiple of 8 and at most 2048; pointers must be aligned to 16 bytes.
void launch_layer_norm_of_sum(const void* x, const void* y, const void* weight, const void* bias, void* out,
                              std::int64_t rows, std::int64_t hidden, float epsilon, cudaStream_t stream);

/// Attention over short segments, for heads of 64 numbers.
struct ShortAttention {
  // [tokens, heads, 64] in bfloat16; a row of tokens may be followed by others: strides are in numbers, multiples of 8.
  const void* query = nullptr;
  const void* key = nullptr;
  const void* value = nullptr;
  std::int64_t query_stride = 0;
  std::int64_t key_stride = 0;
  std::int64_t value_stride = 0;
  const std::int32_t* query_offsets = nullptr;  // one more than segments
  const std::int32_t* key_offsets = nullptr;
  void* out = nullptr;  // [tokens, heads, 64], without gaps
  std::int64_t segments = 0;
  std::int64_t heads = 0;
  std::int64_t longest_query = 0;  // of a segment, at most kLongest
  std::int64_t longest_key = 0;
  bool causal = false;  // a query sees keys up to its own place, counted from both ends

  static constexpr std::int64_t kLongest = 64;
  static constexpr std::int64_t kHeadWidth = 64;
};
void launch_short_attention(const ShortAttention& attention, cudaStream_t stream);

}  // namespace gumption
