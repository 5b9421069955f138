#include "gumption/nn/layers.h"

#include <atomic>

#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/GradMode.h>

#include "gumption/base/error.h"
#include "gumption/nn/cpu_kernels.h"
#include "gumption/nn/fused_ops.h"

namespace gumption {

namespace {

std::atomic<bool>& fused_kernels() {
  static std::atomic<bool> use = true;
  return use;
}

constexpr const char* kNoActivation = "none";

/// Whether oneDNN multiplies such numbers here; in bfloat16 it refuses processors without AVX-512.
bool can_be_packed(at::ScalarType type) {
  if (!at::hasMKLDNN()) return false;
  if (type == at::kFloat) return true;
#if defined(__x86_64__)
  static const bool has_avx512 = __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
                                 __builtin_cpu_supports("avx512dq") != 0;
#else
  static const bool has_avx512 = false;
#endif
  return type == at::kBFloat16 && has_avx512;
}

at::Tensor pack_matrix(const at::Tensor& weight) {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("mkldnn::_reorder_linear_weight", "")
                             .typed<at::Tensor(const at::Tensor&, std::optional<std::int64_t>)>();
  return op.call(weight, std::nullopt);
}

at::Tensor linear_packed(const at::Tensor& x, const at::Tensor& packed, const at::Tensor& bias, std::string_view after,
                         std::string_view variant) {
  static const auto op =
      c10::Dispatcher::singleton()
          .findSchemaOrThrow("mkldnn::_linear_pointwise", "")
          .typed<at::Tensor(const at::Tensor&, const at::Tensor&, const std::optional<at::Tensor>&, std::string_view,
                            c10::List<std::optional<at::Scalar>>, std::optional<std::string_view>)>();
  return op.call(x, packed, bias, after, c10::List<std::optional<at::Scalar>>(), variant);
}

}  // namespace

void use_fused_kernels(bool use) { fused_kernels() = use; }

bool fused_kernels_are_used() { return fused_kernels() && !c10::GradMode::is_enabled(); }

at::Tensor joined_view(const std::vector<at::Tensor>& parts) {
  if (parts.size() == 1) return parts.front().defined() ? parts.front().detach() : at::Tensor();
  std::int64_t rows = 0;
  const char* next = nullptr;
  for (const at::Tensor& part : parts) {
    if (!part.defined() || !part.is_contiguous() || !part.is_alias_of(parts.front())) return {};
    const char* begin = static_cast<const char*>(part.const_data_ptr());
    if (next != nullptr && begin != next) return {};
    next = begin + part.nbytes();
    rows += part.size(0);
  }
  std::vector<std::int64_t> sizes = parts.front().sizes().vec();
  sizes.front() = rows;
  return parts.front().detach().as_strided(sizes, parts.front().strides());
}

at::Tensor as_precise_as(const at::Tensor& weight, const at::Tensor& x) {
  return weight.scalar_type() == x.scalar_type() ? weight : weight.to(x.scalar_type());
}

at::Tensor activate(const at::Tensor& x, Activation activation) {
  switch (activation) {
    case Activation::kGeluExact:
      return at::gelu(x);
    case Activation::kGeluTanh:
      return at::gelu(x, "tanh");
    case Activation::kRelu:
      return at::relu(x);
    case Activation::kSilu:
      return at::silu(x);
  }
  throw InternalError("an activation of no kind");
}

Linear::Linear(at::Tensor weight, at::Tensor bias, MatrixForm form)
    : weight_(std::move(weight)), bias_(std::move(bias)), form_(form) {}

Linear::Linear(ParameterSource& source, const std::string& prefix, MatrixForm form)
    : Linear(source.take_matrix(prefix + ".weight"), source.take(prefix + ".bias"), form) {}

bool Linear::takes_packed(const at::Tensor& x) const {
  const bool same = x.scalar_type() == weight_.scalar_type();
  return x.device().is_cpu() && same && can_be_packed(x.scalar_type()) && fused_kernels_are_used();
}

const at::Tensor& Linear::packed() const {
  if (!packed_.defined()) {
    packed_ = pack_matrix(form_ == MatrixForm::kOutputsByInputs ? weight_ : weight_.t().contiguous());
  }
  return packed_;
}

Linear Linear::joined(const std::vector<const Linear*>& layers) {
  std::vector<at::Tensor> weights;
  std::vector<at::Tensor> biases;
  for (const Linear* layer : layers) {
    ensure(layer->form_ == layers.front()->form_, "layers that are joined have the same form");
    weights.push_back(layer->weight_);
    biases.push_back(layer->bias_);
  }
  const MatrixForm form = layers.front()->form_;
  if (form == MatrixForm::kOutputsByInputs) {
    const at::Tensor weight = joined_view(weights);
    const at::Tensor bias = joined_view(biases);
    if (weight.defined() && bias.defined()) return {weight, bias, form};
  }
  return {at::cat(weights, form == MatrixForm::kOutputsByInputs ? 0 : 1), at::cat(biases), form};
}

at::Tensor Linear::operator()(const at::Tensor& x) const {
  if (takes_packed(x)) return linear_packed(x, packed(), as_precise_as(bias_, x), kNoActivation, "");
  const at::Tensor weight = as_precise_as(weight_, x);
  const at::Tensor bias = as_precise_as(bias_, x);
  return form_ == MatrixForm::kOutputsByInputs ? at::linear(x, weight, bias) : at::addmm(bias, x, weight);
}

at::Tensor Linear::activated(const at::Tensor& x, Activation activation) const {
  const bool gelu = activation == Activation::kGeluExact || activation == Activation::kGeluTanh;
  if (!gelu || !fused_kernels_are_used()) return activate((*this)(x), activation);
  if (x.device().is_cuda() && x.scalar_type() == at::kBFloat16 && weight_.scalar_type() == at::kBFloat16) {
    // The product's own ending computes the tanh form; from the exact one it differs by less than bfloat16 rounds.
    const at::Tensor matrix = form_ == MatrixForm::kOutputsByInputs ? weight_.t() : weight_;
    return at::_addmm_activation(as_precise_as(bias_, x), x, matrix, 1, 1, /*use_gelu=*/true);
  }
  if (!takes_packed(x)) return activate((*this)(x), activation);
  return linear_packed(x, packed(), as_precise_as(bias_, x), "gelu",
                       activation == Activation::kGeluTanh ? "tanh" : "none");
}

LayerNorm::LayerNorm(ParameterSource& source, const std::string& prefix, double epsilon)
    : weight_(source.take(prefix + ".weight")), bias_(source.take(prefix + ".bias")), epsilon_(epsilon) {}

at::Tensor LayerNorm::operator()(const at::Tensor& x) const {
  if (fused_kernels_are_used()) {
    if (auto fused = cpu_layer_norm(x, {}, weight_, bias_, epsilon_)) return *std::move(fused);
    if (auto fused = fused_layer_norm(x, {}, weight_, bias_, epsilon_)) return *std::move(fused);
  }
  return at::layer_norm(x, {x.size(-1)}, as_precise_as(weight_, x), as_precise_as(bias_, x), epsilon_);
}

at::Tensor LayerNorm::of_sum(const at::Tensor& x, const at::Tensor& y) const {
  if (fused_kernels_are_used()) {
    if (auto fused = cpu_layer_norm(x, y, weight_, bias_, epsilon_)) return *std::move(fused);
    if (auto fused = fused_layer_norm(x, y, weight_, bias_, epsilon_)) return *std::move(fused);
  }
  return (*this)(x + y);
}

}  // namespace gumption
