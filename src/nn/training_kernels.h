#pragma once

// Our kernels for training a block on a GPU: what stands between its matrix products, forward and backward. Plain
// pointers, so that nvcc need not read LibTorch's headers. Activations are bfloat16, biases, norms and their gradients
// float32; pointers are aligned to 16 bytes. Nothing is added up by atomics: the same input gives the same bits.

#include <cstdint>

#include <cuda_runtime_api.h>

namespace gumption {

/// Which numbers fall to dropout. They are drawn from the seed and the site when a kernel runs, backward as forward, so
/// that no mask is stored.
struct DropoutDraw {
  const std::int64_t* seed = nullptr;  // one number on the device; may be nullptr where nothing is dropped
  std::uint32_t site = 0;              // each place in a model draws other numbers
  float probability = 0.0F;            // kept to 1/65536
};

/// Whether any number may fall: a probability may be too small for the draw.
bool drops_any(const DropoutDraw& draw);

/// Kernels that sum columns leave one row of sums for each stretch of rows; add_up_columns adds those together. How
/// many stretches there are depends on the rows alone.
std::int64_t norm_stretches(std::int64_t rows);
std::int64_t column_stretches(std::int64_t rows);

/// sum = dropout(x + bias) + residual; out = sum, normalised over each row, * weight + norm_bias.
struct DroppedNorm {
  const void* x = nullptr;
  const float* bias = nullptr;
  const void* residual = nullptr;
  const float* weight = nullptr;
  const float* norm_bias = nullptr;
  void* sum = nullptr;
  void* out = nullptr;
  float* mean = nullptr;   // [rows], of the sum
  float* scale = nullptr;  // [rows], one over the sum's deviation
  std::int64_t rows = 0;
  std::int64_t hidden = 0;  // a multiple of 8, at most kWidest
  float epsilon = 0.0F;
  DropoutDraw dropout;

  static constexpr std::int64_t kWidest = 2048;
};
void launch_dropped_norm(const DroppedNorm& norm, cudaStream_t stream);

struct DroppedNormBackward {
  const void* out_gradient = nullptr;
  const void* sum = nullptr;
  const float* mean = nullptr;
  const float* scale = nullptr;
  const float* weight = nullptr;
  void* residual_gradient = nullptr;  // of the sum, and so of the residual
  void* x_gradient = nullptr;         // not written unless drops_any: it is the residual's
  float* partial_sums = nullptr;      // [norm_stretches(rows), 3, hidden]: of weight, of norm_bias, of bias
  std::int64_t rows = 0;
  std::int64_t hidden = 0;
  DropoutDraw dropout;
};
void launch_dropped_norm_backward(const DroppedNormBackward& norm, cudaStream_t stream);

/// out = GELU(x + bias).
struct BiasGelu {
  const void* x = nullptr;
  const float* bias = nullptr;
  void* out = nullptr;
  std::int64_t rows = 0;
  std::int64_t columns = 0;  // a multiple of 8
  bool tanh_form = false;
};
void launch_bias_gelu(const BiasGelu& gelu, cudaStream_t stream);

struct BiasGeluBackward {
  const void* out_gradient = nullptr;
  const void* x = nullptr;
  const float* bias = nullptr;
  void* x_gradient = nullptr;     // may be out_gradient
  float* partial_sums = nullptr;  // [column_stretches(rows), columns]: of bias
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  bool tanh_form = false;
};
void launch_bias_gelu_backward(const BiasGeluBackward& gelu, cudaStream_t stream);

/// partial_sums: [column_stretches(rows), columns]; columns a multiple of 8.
void launch_column_sums(const void* x, float* partial_sums, std::int64_t rows, std::int64_t columns,
                        cudaStream_t stream);

/// Sums that kernels have left in parts. Several are added up at once: one launch for all of a block's.
struct PartialSums {
  struct One {
    const float* partial_sums = nullptr;
    std::int64_t parts = 0;
    std::int64_t stride = 0;  // from one part to the next
    std::int64_t columns = 0;
    float* sum = nullptr;  // what it holds is added to
  };
  static constexpr int kMost = 8;
  One all[kMost];
  int count = 0;
};
void launch_add_up_columns(const PartialSums& sums, cudaStream_t stream);

/// Attention over segments that see themselves only, for heads of 64 numbers. Segments cover all tokens.
struct SegmentAttention {
  const void* projected = nullptr;        // [tokens, 3, heads, 64]: queries, keys and values, without their bias
  const float* bias = nullptr;            // [3, heads, 64], added to them
  const std::int32_t* offsets = nullptr;  // one more than segments
  std::int64_t segments = 0;
  std::int64_t heads = 0;
  std::int64_t longest = 0;  // segment, at most kLongest
  bool causal = false;
  DropoutDraw dropout;  // a norm of the same site draws other numbers

  static constexpr std::int64_t kLongest = 64;
  static constexpr std::int64_t kHeadWidth = 64;
};
/// out: [tokens, heads, 64].
void launch_segment_attention(const SegmentAttention& attention, void* out, cudaStream_t stream);
/// projected_gradient: as `projected`. partial_sums: [segments, 3 * heads * 64], of bias.
void launch_segment_attention_backward(const SegmentAttention& attention, const void* out_gradient,
                                       void* projected_gradient, float* partial_sums, cudaStream_t stream);

/// Puts the gradients of queries, keys and values side by side, where branches share their parent's keys: a token's key
/// gradient is the sum over all places that the key was gathered to, in their order.
struct SharedKeyGradients {
  const void* query = nullptr;  // [tokens, hidden]
  const void* key = nullptr;    // [keys, hidden]
  const void* value = nullptr;  // [keys, hidden]
  const std::int32_t* query_offsets = nullptr;
  const std::int32_t* key_offsets = nullptr;
  const void* key_rows = nullptr;  // the token of each key
  bool rows_are_long = false;      // int64 rather than int32
  void* out = nullptr;             // [tokens, 3, hidden]
  std::int64_t segments = 0;
  std::int64_t tokens = 0;
  std::int64_t hidden = 0;  // a multiple of 8, at most DroppedNorm::kWidest
};
void launch_shared_key_gradients(const SharedKeyGradients& gradients, cudaStream_t stream);

}  // namespace gumption
