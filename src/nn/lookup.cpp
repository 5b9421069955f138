#include "gumption/nn/lookup.h"

#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/custom_function.h>

namespace gumption {

namespace {

struct Lookup : torch::autograd::Function<Lookup> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& table, const at::Tensor& ids) {
    context->saved_data["gradient"] = table.grad();
    context->save_for_backward({ids});
    return at::embedding(table, ids);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& out_gradients) {
    const c10::NoGradGuard no_gradients;
    const at::Tensor gradient = context->saved_data["gradient"].toTensor();
    gradient.index_add_(0, context->get_saved_variables().front(), out_gradients.front());
    return {at::Tensor(), at::Tensor()};
  }
};

}  // namespace

at::Tensor look_up(const at::Tensor& table, const at::Tensor& ids) {
  const bool gathers = c10::GradMode::is_enabled() && table.requires_grad() && table.grad().defined();
  return gathers ? Lookup::apply(table, ids) : at::embedding(table, ids);
}

}  // namespace gumption
