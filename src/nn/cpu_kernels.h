#pragma once

// The CPU's own kernels, for work that LibTorch cuts into several passes or into blocks too large for short sequences.
// For the widest vectors that the processor has.

#include <cstdint>
#include <optional>

#include <ATen/ATen.h>

#include "gumption/nn/packed.h"

namespace gumption {

/// Layer norm of x + y (of x alone where y is undefined), without gradients; empty where there is no kernel for it.
std::optional<at::Tensor> cpu_layer_norm(const at::Tensor& x, const at::Tensor& y, const at::Tensor& weight,
                                         const at::Tensor& bias, double epsilon);

/// Whether cpu_short_attention() takes a layout: no token sees more than this many.
inline constexpr std::int64_t kLongestShortSegment = 128;

/// Attention over a layout's segments, without gradients; queries, keys and values are [tokens, heads, width]. Empty
/// where there is no kernel for such tensors.
std::optional<at::Tensor> cpu_short_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                                              const Layout& layout, bool causal);

}  // namespace gumption
