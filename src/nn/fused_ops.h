#pragma once

// Operations that one kernel does where LibTorch takes several. Each says whether it has a kernel for these tensors;
// the caller has the plain operations for the others.

#include <optional>
#include <string>

#include <ATen/ATen.h>

#include "gumption/nn/packed.h"

namespace gumption {

/// Layer norm of x + y (of x alone where y is undefined), without gradients; empty where there is no kernel for it.
std::optional<at::Tensor> fused_layer_norm(const at::Tensor& x, const at::Tensor& y, const at::Tensor& weight,
                                           const at::Tensor& bias, double epsilon);

/// Attention over segments, without gradients; queries, keys and values are [tokens, heads, width].
std::optional<at::Tensor> fused_short_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                                                const SegmentOffsets& offsets, bool causal);

/// The name of the GPU that is used; empty without one.
std::string device_name();

}  // namespace gumption
