#include <c10/core/GradMode.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/csrc/autograd/custom_function.h>

#include "gumption/nn/fused_word_loss.h"
#include "gumption/nn/word_loss_kernels.h"

namespace gumption {

namespace {

// Matrix products are several times slower where rows don't begin at round addresses, and a vocabulary may be odd.
constexpr std::int64_t kColumnStep = 64;

/// The table in bfloat16, filled up to a round number of rows with zeros.
at::Tensor rounded_table(const at::Tensor& table) {
  const std::int64_t rows = (table.size(0) + kColumnStep - 1) / kColumnStep * kColumnStep;
  at::Tensor rounded = at::empty({rows, table.size(1)}, table.options().dtype(at::kBFloat16));
  rounded.narrow(0, 0, table.size(0)).copy_(table);
  if (rows > table.size(0)) rounded.narrow(0, table.size(0), rows - table.size(0)).zero_();
  return rounded;
}

struct WordLossFunction : torch::autograd::Function<WordLossFunction> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& states,
                            const at::Tensor& table, const std::optional<at::Tensor>& bias, const at::Tensor& words,
                            const at::Tensor& weights) {
    const at::Tensor rounded = rounded_table(table);
    const at::Tensor logits = at::mm(states, rounded.t());
    const at::Tensor losses = at::empty({states.size(0)}, weights.options());
    WordLoss loss;
    loss.logits = logits.mutable_data_ptr();
    loss.bias = bias ? bias->const_data_ptr<float>() : nullptr;
    loss.words = words.const_data_ptr<std::int64_t>();
    loss.weights = weights.const_data_ptr<float>();
    loss.losses = losses.mutable_data_ptr<float>();
    loss.rows = states.size(0);
    loss.vocabulary = table.size(0);
    loss.width = rounded.size(0);
    launch_word_loss(loss, c10::cuda::getCurrentCUDAStream());
    C10_CUDA_CHECK(cudaGetLastError());
    context->save_for_backward({states, rounded, logits});
    context->saved_data["table_gradient"] = table.grad();
    context->saved_data["vocabulary"] = table.size(0);
    context->saved_data["has_bias"] = bias.has_value();
    return losses.sum();
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& out_gradients) {
    const c10::NoGradGuard no_gradients;
    const auto saved = context->get_saved_variables();
    const at::Tensor& states = saved[0];
    const at::Tensor& rounded = saved[1];
    const at::Tensor& gradient = saved[2];  // of the logits
    const at::Tensor& scale = out_gradients.at(0);
    const std::int64_t vocabulary = context->saved_data["vocabulary"].toInt();
    const at::Tensor of_states = at::mm(gradient, rounded).mul_(scale);
    // The states are scaled, not the table, which is larger; and rows behind the vocabulary's end are cut off last,
    // since the product is slower without them.
    at::Tensor of_table = at::mm(gradient.t(), states.mul(scale)).narrow(0, 0, vocabulary);
    const at::Tensor gathered = context->saved_data["table_gradient"].toTensor();
    if (gathered.defined()) {
      gathered.add_(of_table);  // straight to where autograd would bring it through two more copies
      of_table = at::Tensor();
    } else {
      of_table = of_table.to(at::kFloat);
    }
    at::Tensor of_bias;
    if (context->saved_data["has_bias"].toBool())
      of_bias = gradient.narrow(1, 0, vocabulary).sum(0, false, at::kFloat).mul_(scale);
    return {of_states, of_table, of_bias, at::Tensor(), at::Tensor()};
  }
};

}  // namespace

std::optional<at::Tensor> fused_word_loss(const at::Tensor& states, const at::Tensor& table, const at::Tensor& bias,
                                          const at::Tensor& words, const at::Tensor& weights) {
  const bool fits = states.is_cuda() && states.scalar_type() == at::kBFloat16 && table.scalar_type() == at::kFloat &&
                    weights.scalar_type() == at::kFloat && (!bias.defined() || bias.scalar_type() == at::kFloat);
  if (!fits) return std::nullopt;
  const std::optional<at::Tensor> own_bias = bias.defined() ? std::optional(bias) : std::nullopt;
  return WordLossFunction::apply(states.contiguous(), table.contiguous(), own_bias, words.to(at::kLong),
                                 weights.contiguous());
}

}  // namespace gumption
