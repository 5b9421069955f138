#include "gumption/train/parameter_store.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

#include <c10/core/GradMode.h>

#include "gumption/base/error.h"
#include "gumption/nn/packed.h"

namespace gumption {

namespace {

// Keeps every tensor aligned for vector loads; tensors of such a size lie behind each other without gaps.
constexpr std::int64_t kAlignment = 8;

std::int64_t aligned(std::int64_t count) { return (count + kAlignment - 1) / kAlignment * kAlignment; }

bool decays(const NamedTensor& parameter, DecaySet set) {
  return set == DecaySet::kAll || (set == DecaySet::kMatrices && parameter.tensor.dim() > 1);
}

}  // namespace

ParameterStore::ParameterStore(std::span<const NamedTensor> parameters, at::ScalarType matrix_type, DecaySet decay) {
  const c10::NoGradGuard no_gradients;
  ensure(!parameters.empty(), "a model has parameters");
  struct Kind {
    bool rounded;
    bool decays;
    auto operator<=>(const Kind&) const = default;
  };
  std::map<Kind, std::size_t> group_of;
  std::vector<std::int64_t> sizes;
  std::vector<Kind> kinds;
  for (const NamedTensor& parameter : parameters) {
    ensure(parameter.tensor.scalar_type() == at::kFloat, "parameters are trained in float32");
    const Kind kind = {parameter.is_matrix && matrix_type != at::kFloat, decays(parameter, decay)};
    const auto [found, is_new] = group_of.try_emplace(kind, sizes.size());
    if (is_new) {
      sizes.push_back(0);
      kinds.push_back(kind);
    }
    std::int64_t& size = sizes[found->second];
    places_.push_back({parameter.name, found->second, size, parameter.tensor.sizes().vec()});
    size += aligned(parameter.tensor.numel());
    parameters_ += parameter.tensor.numel();
  }
  const at::TensorOptions options = parameters.front().tensor.options();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    Group group;
    group.decays = kinds[i].decays;
    group.weights = at::zeros({sizes[i]}, options);
    group.compute = kinds[i].rounded ? at::zeros({sizes[i]}, options.dtype(matrix_type)) : group.weights;
    group.gradients = at::zeros_like(group.compute);
    groups_.push_back(std::move(group));
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const at::Tensor& tensor = parameters[i].tensor;
    const Place& place = places_[i];
    Group& group = groups_[place.group];
    group.weights.narrow(0, place.begin, tensor.numel()).copy_(tensor.flatten());
    tensor.set_data(group.compute.narrow(0, place.begin, tensor.numel()).view(place.shape));
    tensor.requires_grad_(true);
    tensor.mutable_grad() = group.gradients.narrow(0, place.begin, tensor.numel()).view(place.shape);
    group.parts.push_back({place.begin, tensor.numel()});
  }
  refresh_compute();
}

void ParameterStore::clear_gradients() {
  for (Group& group : groups_) {
    group.gradients.zero_();
    group.sums = at::Tensor();
  }
}

void ParameterStore::gather_gradients() {
  const c10::NoGradGuard no_gradients;
  for (Group& group : groups_) {
    if (group.gradients.scalar_type() == at::kFloat) continue;
    if (group.sums.defined()) {
      group.sums.add_(group.gradients);
    } else {
      group.sums = group.gradients.to(at::kFloat);
    }
    group.gradients.zero_();
  }
}

void ParameterStore::set_without_effect(std::span<const Stretch> stretches) {
  std::vector<std::vector<std::int64_t>> indices(groups_.size());
  for (const Stretch& stretch : stretches) {
    const auto place = std::find_if(places_.begin(), places_.end(),
                                    [&](const Place& candidate) { return candidate.name == stretch.name; });
    ensure(place != places_.end(), "numbers without effect are parameters");
    for (std::int64_t i = 0; i < stretch.count; ++i) {
      indices[place->group].push_back(place->begin + stretch.begin + i);
    }
  }
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    if (!indices[i].empty()) groups_[i].without_effect = to_device(indices[i], groups_[i].weights.options());
  }
}

void ParameterStore::clear_without_effect() {
  const c10::NoGradGuard no_gradients;
  for (Group& group : groups_) {
    if (group.without_effect.defined()) group.step_gradients().index_fill_(0, group.without_effect, 0);
  }
}

void ParameterStore::refresh_compute() {
  const c10::NoGradGuard no_gradients;
  for (Group& group : groups_) {
    if (!group.compute.is_same(group.weights)) group.compute.copy_(group.weights);
  }
}

std::vector<NamedTensor> ParameterStore::named(const std::vector<at::Tensor>& arrays) const {
  std::vector<NamedTensor> all;
  for (const Place& place : places_) {
    const std::int64_t count =
        std::accumulate(place.shape.begin(), place.shape.end(), std::int64_t{1}, std::multiplies<>());
    all.push_back({place.name, arrays[place.group].narrow(0, place.begin, count).view(place.shape)});
  }
  return all;
}

std::vector<at::Tensor> ParameterStore::copy_weights() const {
  std::vector<at::Tensor> copies;
  for (const Group& group : groups_) copies.push_back(group.weights.to(at::kCPU, at::kFloat, false, /*copy=*/true));
  return copies;
}

}  // namespace gumption
