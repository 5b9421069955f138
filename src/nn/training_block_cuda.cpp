#include <algorithm>
#include <initializer_list>
#include <utility>

#include <ATen/cuda/CUDAEvent.h>
#include <c10/core/GradMode.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/csrc/autograd/custom_function.h>

#include "gumption/base/error.h"
#include "gumption/nn/training_attention.h"
#include "gumption/nn/training_block.h"
#include "gumption/nn/training_kernels.h"

namespace gumption {

namespace {

/// What a norm's backward pass reads of its forward pass.
struct SavedNorm {
  at::Tensor sum;
  at::Tensor mean;
  at::Tensor scale;
};

/// A pass through a block: what it is given, and what its backward pass needs.
struct BlockPass : torch::CustomClassHolder {
  BlockParameters parameters;
  SegmentOffsets offsets;
  BlockSettings settings;
  at::Tensor seed;

  at::Tensor x;
  TrainingAttention attention;
  SavedNorm attention_norm;
  at::Tensor attended;  // what the first norm gives
  at::Tensor inner;     // before bias and activation
  at::Tensor activated;
  SavedNorm output_norm;

  std::int64_t tokens() const { return x.size(0); }
  std::int64_t hidden() const { return x.size(1); }
};

at::Tensor empty_floats(at::IntArrayRef sizes, const at::Tensor& like) {
  return at::empty(sizes, like.options().dtype(at::kFloat));
}

DropoutDraw draw_of(const BlockPass& pass, std::int64_t site, double probability) {
  DropoutDraw draw;
  draw.seed = pass.seed.const_data_ptr<std::int64_t>();
  draw.site = static_cast<std::uint32_t>(site);
  draw.probability = static_cast<float>(probability);
  return draw;
}

std::int64_t attention_norm_site(const BlockPass& pass) { return 2 * pass.settings.index; }
std::int64_t output_norm_site(const BlockPass& pass) { return 2 * pass.settings.index + 1; }

// Matrix products ----------------------------------------------------------------------------------------------------

/// A layer's matrix with a row for each input.
at::Tensor matrix_of(const BlockPass& pass, const BlockLinear& layer) {
  return pass.parameters.form == MatrixForm::kOutputsByInputs ? layer.weight.t() : layer.weight;
}

/// Without the bias.
at::Tensor multiply(const BlockPass& pass, const BlockLinear& layer, const at::Tensor& x) {
  return at::mm(x, matrix_of(pass, layer));
}

void add_weight_gradient(const BlockPass& pass, const BlockLinear& layer, const at::Tensor& x,
                         const at::Tensor& out_gradient) {
  const bool by_outputs = pass.parameters.form == MatrixForm::kOutputsByInputs;
  const at::Tensor left = by_outputs ? out_gradient.t() : x.t();
  const at::Tensor& right = by_outputs ? x : out_gradient;
  at::Tensor gradient = layer.weight_gradient;
  gradient.addmm_(left, right);
}

/// Weight gradients on a stream of their own: nothing in the backward pass waits for them, and they fill the GPU where
/// attention and norms leave it idle.
class SideWork {
 public:
  SideWork() : main_(c10::cuda::getCurrentCUDAStream()), side_(c10::cuda::getStreamFromPool()) {}
  SideWork(const SideWork&) = delete;
  SideWork& operator=(const SideWork&) = delete;

  /// Runs behind all that was begun on the main stream so far. Tensors that it reads must live until finish().
  template <class Work>
  void run(const Work& work) {
    at::cuda::CUDAEvent ready;
    ready.record(main_);
    ready.block(side_);
    const c10::cuda::CUDAStreamGuard guard(side_);
    work();
  }

  /// What comes behind on the main stream waits for it.
  void finish() {
    at::cuda::CUDAEvent done;
    done.record(side_);
    done.block(main_);
  }

 private:
  c10::cuda::CUDAStream main_;
  c10::cuda::CUDAStream side_;
};

// Column sums --------------------------------------------------------------------------------------------------------

/// The sums of a backward pass, added up at its end in one launch.
class PendingSums {
 public:
  /// `partial_sums` is [parts, stride]; the columns from `first` on belong to `sum`.
  void add(const at::Tensor& partial_sums, std::int64_t first, const at::Tensor& sum) {
    ensure(sums_.count < PartialSums::kMost, "a block has so many sums at most");
    PartialSums::One& one = sums_.all[sums_.count++];
    one.partial_sums = partial_sums.const_data_ptr<float>() + first;
    one.parts = partial_sums.size(0);
    one.stride = partial_sums.size(1);
    one.columns = sum.numel();
    one.sum = sum.mutable_data_ptr<float>();
    kept_.push_back(partial_sums);
  }

  void finish() { launch_add_up_columns(sums_, c10::cuda::getCurrentCUDAStream()); }

 private:
  PartialSums sums_;
  std::vector<at::Tensor> kept_;
};

// Norms --------------------------------------------------------------------------------------------------------------

at::Tensor dropped_norm(const BlockPass& pass, const at::Tensor& x, const BlockLinear& layer,
                        const at::Tensor& residual, const BlockNorm& parameters, std::int64_t site, SavedNorm& saved) {
  saved.sum = at::empty_like(x);
  saved.mean = empty_floats({pass.tokens()}, x);
  saved.scale = empty_floats({pass.tokens()}, x);
  at::Tensor out = at::empty_like(x);
  DroppedNorm norm;
  norm.x = x.const_data_ptr();
  norm.bias = layer.bias.const_data_ptr<float>();
  norm.residual = residual.const_data_ptr();
  norm.weight = parameters.weight.const_data_ptr<float>();
  norm.norm_bias = parameters.bias.const_data_ptr<float>();
  norm.sum = saved.sum.mutable_data_ptr();
  norm.out = out.mutable_data_ptr();
  norm.mean = saved.mean.mutable_data_ptr<float>();
  norm.scale = saved.scale.mutable_data_ptr<float>();
  norm.rows = pass.tokens();
  norm.hidden = pass.hidden();
  norm.epsilon = static_cast<float>(pass.settings.epsilon);
  norm.dropout = draw_of(pass, site, pass.settings.residual_dropout);
  launch_dropped_norm(norm, c10::cuda::getCurrentCUDAStream());
  return out;
}

struct NormGradients {
  at::Tensor residual;
  at::Tensor x;  // the same tensor where nothing is dropped
};

NormGradients dropped_norm_backward(const BlockPass& pass, const at::Tensor& out_gradient, const BlockLinear& layer,
                                    const BlockNorm& parameters, std::int64_t site, const SavedNorm& saved,
                                    PendingSums& sums) {
  NormGradients gradients;
  gradients.residual = at::empty_like(out_gradient);
  const DropoutDraw dropout = draw_of(pass, site, pass.settings.residual_dropout);
  gradients.x = drops_any(dropout) ? at::empty_like(out_gradient) : gradients.residual;
  const at::Tensor partial_sums = empty_floats({norm_stretches(pass.tokens()), 3 * pass.hidden()}, out_gradient);
  DroppedNormBackward norm;
  norm.out_gradient = out_gradient.const_data_ptr();
  norm.sum = saved.sum.const_data_ptr();
  norm.mean = saved.mean.const_data_ptr<float>();
  norm.scale = saved.scale.const_data_ptr<float>();
  norm.weight = parameters.weight.const_data_ptr<float>();
  norm.residual_gradient = gradients.residual.mutable_data_ptr();
  norm.x_gradient = gradients.x.mutable_data_ptr();
  norm.partial_sums = partial_sums.mutable_data_ptr<float>();
  norm.rows = pass.tokens();
  norm.hidden = pass.hidden();
  norm.dropout = dropout;
  launch_dropped_norm_backward(norm, c10::cuda::getCurrentCUDAStream());
  sums.add(partial_sums, 0, parameters.weight_gradient);
  sums.add(partial_sums, pass.hidden(), parameters.bias_gradient);
  sums.add(partial_sums, 2 * pass.hidden(), layer.bias_gradient);
  return gradients;
}

// Activation ---------------------------------------------------------------------------------------------------------

at::Tensor bias_gelu(const BlockPass& pass, const at::Tensor& x) {
  at::Tensor out = at::empty_like(x);
  BiasGelu gelu;
  gelu.x = x.const_data_ptr();
  gelu.bias = pass.parameters.inner.bias.const_data_ptr<float>();
  gelu.out = out.mutable_data_ptr();
  gelu.rows = x.size(0);
  gelu.columns = x.size(1);
  gelu.tanh_form = pass.settings.activation == Activation::kGeluTanh;
  launch_bias_gelu(gelu, c10::cuda::getCurrentCUDAStream());
  return out;
}

/// Turns the gradient of the activated numbers into that of the product before them.
void bias_gelu_backward(const BlockPass& pass, const at::Tensor& gradient, PendingSums& sums) {
  const at::Tensor partial_sums = empty_floats({column_stretches(gradient.size(0)), gradient.size(1)}, gradient);
  BiasGeluBackward gelu;
  gelu.out_gradient = gradient.const_data_ptr();
  gelu.x = pass.inner.const_data_ptr();
  gelu.bias = pass.parameters.inner.bias.const_data_ptr<float>();
  gelu.x_gradient = gradient.mutable_data_ptr();
  gelu.partial_sums = partial_sums.mutable_data_ptr<float>();
  gelu.rows = gradient.size(0);
  gelu.columns = gradient.size(1);
  gelu.tanh_form = pass.settings.activation == Activation::kGeluTanh;
  launch_bias_gelu_backward(gelu, c10::cuda::getCurrentCUDAStream());
  sums.add(partial_sums, 0, pass.parameters.inner.bias_gradient);
}

// The block ----------------------------------------------------------------------------------------------------------

void attend(BlockPass& pass) {
  const BlockLinear& layer = pass.parameters.attention;
  TrainingAttention& attention = pass.attention;
  attention.offsets = pass.offsets;
  attention.bias = layer.bias;
  attention.heads = pass.settings.heads;
  attention.causal = pass.settings.causal;
  attention.dropout = draw_of(pass, pass.settings.index, pass.settings.attention_dropout);
  attention.attend(attention.adds_bias() ? multiply(pass, layer, pass.x)
                                         : at::addmm(layer.bias.to(at::kBFloat16), pass.x, matrix_of(pass, layer)));
}

at::Tensor attend_backward(const BlockPass& pass, const at::Tensor& out_gradient, PendingSums& sums) {
  const ProjectedGradient gradient = pass.attention.backward(out_gradient);
  sums.add(gradient.bias_sums, 0, pass.parameters.attention.bias_gradient);
  return gradient.projected;
}

at::Tensor run_forward(BlockPass& pass) {
  const BlockParameters& parameters = pass.parameters;
  attend(pass);
  const at::Tensor attention_output = multiply(pass, parameters.attention_output, pass.attention.seen);
  pass.attended = dropped_norm(pass, attention_output, parameters.attention_output, pass.x, parameters.attention_norm,
                               attention_norm_site(pass), pass.attention_norm);
  pass.inner = multiply(pass, parameters.inner, pass.attended);
  pass.activated = bias_gelu(pass, pass.inner);
  const at::Tensor output = multiply(pass, parameters.output, pass.activated);
  return dropped_norm(pass, output, parameters.output, pass.attended, parameters.output_norm, output_norm_site(pass),
                      pass.output_norm);
}

/// The residual's gradient plus a product. In place, unless it is x's too, which is still being read.
at::Tensor add_product(const NormGradients& gradients, const at::Tensor& left, const at::Tensor& right) {
  if (gradients.x.is_same(gradients.residual)) return at::addmm(gradients.residual, left, right);
  at::Tensor sum = gradients.residual;
  return sum.addmm_(left, right);
}

/// Gives x's gradient.
at::Tensor run_backward(const BlockPass& pass, const at::Tensor& out_gradient) {
  const BlockParameters& parameters = pass.parameters;
  PendingSums sums;
  SideWork side;
  const auto input_matrix = [&](const BlockLinear& layer) { return matrix_of(pass, layer).t(); };

  const NormGradients output = dropped_norm_backward(pass, out_gradient, parameters.output, parameters.output_norm,
                                                     output_norm_site(pass), pass.output_norm, sums);
  side.run([&] { add_weight_gradient(pass, parameters.output, pass.activated, output.x); });
  const at::Tensor inner_gradient = at::mm(output.x, input_matrix(parameters.output));
  bias_gelu_backward(pass, inner_gradient, sums);
  side.run([&] { add_weight_gradient(pass, parameters.inner, pass.attended, inner_gradient); });
  const at::Tensor attended_gradient = add_product(output, inner_gradient, input_matrix(parameters.inner));

  const NormGradients attention =
      dropped_norm_backward(pass, attended_gradient, parameters.attention_output, parameters.attention_norm,
                            attention_norm_site(pass), pass.attention_norm, sums);
  side.run([&] { add_weight_gradient(pass, parameters.attention_output, pass.attention.seen, attention.x); });
  const at::Tensor seen_gradient = at::mm(attention.x, input_matrix(parameters.attention_output));
  const at::Tensor projected_gradient = attend_backward(pass, seen_gradient, sums);
  side.run([&] { add_weight_gradient(pass, parameters.attention, pass.x, projected_gradient); });
  const at::Tensor x_gradient = add_product(attention, projected_gradient, input_matrix(parameters.attention));
  sums.finish();
  side.finish();
  return x_gradient;
}

constexpr const char* kPassKey = "pass";

class BlockFunction : public torch::autograd::Function<BlockFunction> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x,
                            const c10::intrusive_ptr<BlockPass>& pass) {
    pass->x = x.contiguous();
    at::Tensor out = run_forward(*pass);
    C10_CUDA_CHECK(cudaGetLastError());
    context->saved_data[kPassKey] = c10::IValue::make_capsule(pass);
    return out;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& out_gradients) {
    const c10::NoGradGuard no_gradients;
    const auto found = context->saved_data.find(kPassKey);
    ensure(found != context->saved_data.end(), "a training block runs backward once");
    const c10::intrusive_ptr<torch::CustomClassHolder> held = found->second.toCapsule();
    // What was saved is freed when this pass ends, not when the graph does.
    context->saved_data.clear();
    const auto& pass = static_cast<const BlockPass&>(*held);
    at::Tensor x_gradient = run_backward(pass, out_gradients.at(0).contiguous());
    C10_CUDA_CHECK(cudaGetLastError());
    return {std::move(x_gradient), at::Tensor()};
  }
};

// What is supported --------------------------------------------------------------------------------------------------

bool is_plain(const at::Tensor& x, at::ScalarType type) {
  constexpr std::uintptr_t kAlignment = 16;
  if (!x.defined() || !x.is_cuda() || x.scalar_type() != type || !x.is_contiguous()) return false;
  return reinterpret_cast<std::uintptr_t>(x.const_data_ptr()) % kAlignment == 0;
}

bool has_shape(const at::Tensor& x, std::initializer_list<std::int64_t> sizes) {
  return x.sizes().equals(at::IntArrayRef(sizes));
}

bool is_supported(const BlockLinear& layer, MatrixForm form, std::int64_t inputs, std::int64_t outputs) {
  for (const at::Tensor* matrix : {&layer.weight, &layer.weight_gradient}) {
    if (!is_plain(*matrix, at::kBFloat16)) return false;
    const bool by_outputs = form == MatrixForm::kOutputsByInputs;
    if (!has_shape(*matrix, {by_outputs ? outputs : inputs, by_outputs ? inputs : outputs})) return false;
  }
  for (const at::Tensor* bias : {&layer.bias, &layer.bias_gradient}) {
    if (!is_plain(*bias, at::kFloat) || !has_shape(*bias, {outputs})) return false;
  }
  return true;
}

bool is_supported(const BlockNorm& norm, std::int64_t hidden) {
  const auto all = {&norm.weight, &norm.bias, &norm.weight_gradient, &norm.bias_gradient};
  return std::all_of(all.begin(), all.end(),
                     [&](const at::Tensor* x) { return is_plain(*x, at::kFloat) && has_shape(*x, {hidden}); });
}

}  // namespace

bool training_block_is_supported(const at::Tensor& x, const BlockParameters& parameters,
                                 const BlockSettings& settings) {
  constexpr std::int64_t kWidthStep = 8;
  constexpr std::int64_t kWidestHead = 256;
  if (!x.is_cuda() || x.scalar_type() != at::kBFloat16 || x.dim() != 2 || x.size(0) == 0) return false;
  if (settings.activation != Activation::kGeluExact && settings.activation != Activation::kGeluTanh) return false;
  const std::int64_t hidden = x.size(1);
  if (hidden > DroppedNorm::kWidest || settings.heads <= 0 || hidden % settings.heads != 0) return false;
  const std::int64_t width = hidden / settings.heads;
  if (width % kWidthStep != 0 || width > kWidestHead) return false;
  const BlockLinear& inner = parameters.inner;
  if (!inner.bias.defined() || inner.bias.numel() % kWidthStep != 0) return false;
  const std::int64_t inner_width = inner.bias.numel();
  return is_supported(parameters.attention, parameters.form, hidden, 3 * hidden) &&
         is_supported(parameters.attention_output, parameters.form, hidden, hidden) &&
         is_supported(inner, parameters.form, hidden, inner_width) &&
         is_supported(parameters.output, parameters.form, inner_width, hidden) &&
         is_supported(parameters.attention_norm, hidden) && is_supported(parameters.output_norm, hidden);
}

at::Tensor training_block(const at::Tensor& x, const BlockParameters& parameters, const SegmentOffsets& offsets,
                          const BlockSettings& settings, const at::Tensor& seed) {
  ensure(seed.is_cuda() && seed.scalar_type() == at::kLong && seed.numel() == 1, "a seed is a number on the device");
  auto pass = c10::make_intrusive<BlockPass>();
  pass->parameters = parameters;
  pass->offsets = offsets;
  pass->settings = settings;
  pass->seed = seed;
  return BlockFunction::apply(x, pass);
}

}  // namespace gumption
