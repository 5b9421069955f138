#pragma once

// The layers that the models share. All are differentiable; weights may be of another precision than what they are
// applied to, and are converted on the way.

#include <string>
#include <vector>

#include <ATen/ATen.h>

#include "gumption/nn/dropout.h"
#include "gumption/nn/parameter_source.h"

namespace gumption {

/// Whether layers without gradients may use the CPU's fused kernels, as they do at first. Without, they take the plain
/// operations that training takes: the reference for tests and benchmarks. Not for use while a model runs.
void use_fused_kernels(bool use);
bool fused_kernels_are_used();

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
  const at::Tensor& weight() const { return weight_; }
  const at::Tensor& bias() const { return bias_; }

  /// Drops what was derived from weights that have changed since.
  void forget_packed() const { packed_ = at::Tensor(); }

  /// One layer that gives the outputs of several, which have the same inputs, side by side: a view of them where they
  /// lie behind each other, else a copy. Without gradients.
  static Linear joined(const std::vector<const Linear*>& layers);

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
  LayerNorm(at::Tensor weight, at::Tensor bias, double epsilon)
      : weight_(std::move(weight)), bias_(std::move(bias)), epsilon_(epsilon) {}

  at::Tensor operator()(const at::Tensor& x) const;
  /// Of x + y.
  at::Tensor of_sum(const at::Tensor& x, const at::Tensor& y) const;

  const at::Tensor& weight() const { return weight_; }
  const at::Tensor& bias() const { return bias_; }

 private:
  at::Tensor weight_;
  at::Tensor bias_;
  double epsilon_ = 1e-5;
};

at::Tensor activate(const at::Tensor& x, Activation activation);

/// Tensors that lie behind each other in one storage as one, along the first dimension, without gradients; undefined
/// where they don't.
at::Tensor joined_view(const std::vector<at::Tensor>& parts);

/// `weight` in x's precision.
at::Tensor as_precise_as(const at::Tensor& weight, const at::Tensor& x);

}  // namespace gumption
