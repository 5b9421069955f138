#include "gumption/nn/word_loss.h"

#include "gumption/nn/fused_word_loss.h"
#include "gumption/nn/layers.h"

namespace gumption {

at::Tensor word_loss(const at::Tensor& states, const at::Tensor& table, const at::Tensor& bias, const at::Tensor& words,
                     const at::Tensor& weights) {
  if (auto fused = fused_word_loss(states, table, bias, words, weights)) return *std::move(fused);
  at::Tensor logits = at::linear(states, as_precise_as(table, states));
  if (logits.scalar_type() != at::kDouble) logits = logits.to(at::kFloat);
  if (bias.defined()) logits = logits + bias;
  const at::Tensor right = at::log_softmax(logits, 1).gather(1, words.to(at::kLong).unsqueeze(1)).squeeze(1);
  return -(right * weights).sum();
}

}  // namespace gumption
