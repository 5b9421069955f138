#pragma once

// The layers that the models share. All are differentiable; weights may be of another precision than what they are
// applied to, and are converted on the way.

#include <string>

#include <ATen/ATen.h>

#include "gumption/nn/parameter_source.h"

namespace gumption {

/// What a forward pass does beside computing: nothing, or dropping activations by the given rates.
struct Dropout {
  bool active = false;
  DropoutRates rates;

  double attention() const { return active ? rates.attention : 0; }
  at::Tensor embedding(const at::Tensor& x) const { return drop(x, rates.embedding); }
  at::Tensor residual(const at::Tensor& x) const { return drop(x, rates.residual); }
  at::Tensor classifier(const at::Tensor& x) const { return drop(x, rates.classifier); }

 private:
  at::Tensor drop(const at::Tensor& x, double rate) const {
    return active && rate > 0 ? at::dropout(x, rate, true) : x;
  }
};

/// How a linear layer's matrix is stored: PyTorch's Linear has a row for each output, GPT's Conv1D one for each input.
enum class MatrixForm { kOutputsByInputs, kInputsByOutputs };

class Linear {
 public:
  Linear() = default;
  Linear(at::Tensor weight, at::Tensor bias, MatrixForm form = MatrixForm::kOutputsByInputs);
  /// PREFIX.weight and PREFIX.bias.
  Linear(ParameterSource& source, const std::string& prefix, MatrixForm form = MatrixForm::kOutputsByInputs);

  at::Tensor operator()(const at::Tensor& x) const;
  /// The same with an activation behind it.
  at::Tensor activated(const at::Tensor& x, Activation activation) const;

  bool defined() const { return weight_.defined(); }

 private:
  bool takes_packed(const at::Tensor& x) const;
  const at::Tensor& packed() const;

  at::Tensor weight_;
  at::Tensor bias_;
  MatrixForm form_ = MatrixForm::kOutputsByInputs;
  mutable at::Tensor packed_;  // the matrix as the CPU's kernels like it; made at the first use without gradients
};

class LayerNorm {
 public:
  LayerNorm() = default;
  LayerNorm(ParameterSource& source, const std::string& prefix, double epsilon);

  at::Tensor operator()(const at::Tensor& x) const;
  /// Of x + y.
  at::Tensor of_sum(const at::Tensor& x, const at::Tensor& y) const;

 private:
  at::Tensor weight_;
  at::Tensor bias_;
  double epsilon_ = 1e-5;
};

at::Tensor activate(const at::Tensor& x, Activation activation);

/// `weight` in x's precision.
at::Tensor as_precise_as(const at::Tensor& weight, const at::Tensor& x);

}  // namespace gumption
