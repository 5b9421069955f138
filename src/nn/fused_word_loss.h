#pragma once

#include <optional>

#include <ATen/ATen.h>

namespace gumption {

/// word_loss() by one kernel, with gradients; empty where there is no kernel for these tensors.
std::optional<at::Tensor> fused_word_loss(const at::Tensor& states, const at::Tensor& table, const at::Tensor& bias,
                                          const at::Tensor& words, const at::Tensor& weights);

}  // namespace gumption
