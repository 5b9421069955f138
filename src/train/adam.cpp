#include "gumption/train/adam.h"

#include <cmath>

#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>

#include "gumption/base/each_width.h"
#include "gumption/train/adam_cuda.h"

namespace gumption {

namespace {

/// Keeps the quotient finite where all gradients are zero, as PyTorch's clipping does.
constexpr double kSmallNorm = 1e-6;

/// A stretch of an array.
struct Stretch {
  float* weights;
  float* first;
  float* second;
  const float* gradients;
  std::int64_t count;
};

GUMPTION_FOR_EACH_WIDTH
void update_stretch(const Stretch& in, float scale, const AdamNumbers& by) {
  const float keep = 1 - by.rate * by.decay;
  for (std::int64_t i = 0; i < in.count; ++i) {
    const float gradient = in.gradients[i] * scale;
    const float first = by.beta1 * in.first[i] + (1 - by.beta1) * gradient;
    const float second = by.beta2 * in.second[i] + (1 - by.beta2) * gradient * gradient;
    in.first[i] = first;
    in.second[i] = second;
    in.weights[i] =
        in.weights[i] * keep - by.rate * (first * by.correction1) / (std::sqrt(second) * by.correction2 + by.epsilon);
  }
}

void update_on_cpu(ParameterStore::Group& group, AdamMeans& means, float scale, const AdamNumbers& numbers) {
  const at::Tensor gradients = group.step_gradients().to(at::kFloat);
  const Stretch all = {group.weights.mutable_data_ptr<float>(), means.first.mutable_data_ptr<float>(),
                       means.second.mutable_data_ptr<float>(), gradients.const_data_ptr<float>(),
                       group.weights.numel()};
  constexpr std::int64_t kNumbersOfTask = 1 << 15;
  at::parallel_for(0, all.count, kNumbersOfTask, [&](std::int64_t begin, std::int64_t end) {
    update_stretch({all.weights + begin, all.first + begin, all.second + begin, all.gradients + begin, end - begin},
                   scale, numbers);
  });
  if (!group.compute.is_same(group.weights)) group.compute.copy_(group.weights);
}

}  // namespace

void update_array(ParameterStore::Group& group, AdamMeans& means, const at::Tensor& scale, const AdamNumbers& numbers) {
  if (group.weights.device().is_cuda()) {
    update_on_gpu(group, means, scale, numbers);
  } else {
    update_on_cpu(group, means, scale.item<float>(), numbers);
  }
}

Adam::Adam(ParameterStore& store, const AdamOptions& options) : store_(store), options_(options) {
  for (const auto& group : store.groups()) {
    means_.push_back({at::zeros_like(group.weights), at::zeros_like(group.weights)});
  }
}

at::Tensor Adam::clip_tensors() {
  std::vector<at::Tensor> squares;
  for (auto& group : store_.groups()) {
    for (const ParameterStore::Part& part : group.parts) {
      const at::Tensor own = group.step_gradients().narrow(0, part.begin, part.count);
      const at::Tensor norm = at::linalg_vector_norm(own, 2, std::nullopt, false, at::kFloat);
      if (options_.clip > 0) own.mul_((options_.clip / (norm + kSmallNorm)).clamp_max(1).to(own.scalar_type()));
      squares.push_back(norm.square());
    }
  }
  return at::stack(squares).sum().sqrt();
}

at::Tensor Adam::update(double rate, std::uint64_t step) {
  const c10::NoGradGuard no_gradients;
  at::Tensor norm;
  at::Tensor scale;
  if (options_.clip_per == ClipPer::kTensor) {
    norm = clip_tensors();
    scale = at::ones({}, norm.options());
  } else {
    std::vector<at::Tensor> norms;
    for (const auto& group : store_.groups()) {
      norms.push_back(at::linalg_vector_norm(group.step_gradients(), 2, std::nullopt, false, at::kFloat));
    }
    norm = at::linalg_vector_norm(at::stack(norms), 2);
    scale = options_.clip > 0 ? (options_.clip / (norm + kSmallNorm)).clamp_max(1) : at::ones({}, norm.options());
  }
  AdamNumbers numbers;
  numbers.rate = static_cast<float>(rate);
  numbers.beta1 = static_cast<float>(options_.beta1);
  numbers.beta2 = static_cast<float>(options_.beta2);
  numbers.epsilon = static_cast<float>(options_.epsilon);
  if (options_.bias_correction) {
    const auto count = static_cast<double>(step);
    numbers.correction1 = static_cast<float>(1 / (1 - std::pow(options_.beta1, count)));
    numbers.correction2 = static_cast<float>(1 / std::sqrt(1 - std::pow(options_.beta2, count)));
  }
  for (std::size_t i = 0; i < means_.size(); ++i) {
    auto& group = store_.groups()[i];
    numbers.decay = group.decays ? static_cast<float>(options_.weight_decay) : 0;
    update_array(group, means_[i], scale, numbers);
  }
  return norm;
}

}  // namespace gumption
