#pragma once

// The loss of predicting words: a softmax over a whole vocabulary, which is most of a small language model's work.

#include <ATen/ATen.h>

namespace gumption {

/// -Σ weight · log P(word) over rows, where P is the softmax of states · tableᵀ + bias. states: [rows, hidden]; table:
/// [vocabulary, hidden]; bias: [vocabulary] or undefined; words and weights: [rows]. Differentiable in states, table
/// and bias. On a GPU in bfloat16 the softmax and its gradient are one kernel, and the logits exist once, in bfloat16.
at::Tensor word_loss(const at::Tensor& states, const at::Tensor& table, const at::Tensor& bias, const at::Tensor& words,
                     const at::Tensor& weights);

}  // namespace gumption
