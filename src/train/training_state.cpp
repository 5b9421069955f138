#include "gumption/train/training_state.h"

#include <array>
#include <cstring>

#include <c10/core/GradMode.h>
#include <fmt/format.h>

#include "gumption/base/error.h"
#include "gumption/weights/safetensors.h"

namespace gumption {

namespace {

constexpr const char* kAdvice = "Remove the run's folder and train anew";

StoredTensor stored(std::string name, const at::Tensor& values) {
  ensure(values.device().is_cpu() && values.scalar_type() == at::kFloat && values.is_contiguous(),
         "states are saved from the host");
  return {std::move(name),
          ElementType::kFloat32,
          {values.numel()},
          {static_cast<const char*>(values.const_data_ptr()), values.nbytes()}};
}

const StoredTensor& find(const TensorStore& store, const std::string& name, ElementType type, std::int64_t count,
                         const std::filesystem::path& file) {
  const StoredTensor* found = store.find(name);
  if (found == nullptr || found->type != type || element_count(*found) != count) {
    throw UserError(Complaint{file.string(), 0, fmt::format("{} with {} numbers", name, count),
                              found == nullptr ? "none" : fmt::format("{}", element_count(*found)), kAdvice});
  }
  return *found;
}

void read_into(const at::Tensor& to, const std::shared_ptr<const TensorStore>& store, const std::string& name,
               const std::filesystem::path& file) {
  to.copy_(borrow_tensor(store, find(*store, name, ElementType::kFloat32, to.numel(), file)));
}

enum Number : std::size_t { kStep, kBestStep, kEvaluations, kNumbers };
enum Value : std::size_t { kMeasure, kLoss, kValues };

}  // namespace

void save_state(const std::filesystem::path& file, const TrainingProgress& progress, const ParameterStore& store,
                Adam& adam) {
  std::vector<at::Tensor> kept;  // host copies, alive until written
  std::vector<StoredTensor> tensors;
  const auto add = [&](const std::string& name, const at::Tensor& values) {
    kept.push_back(values.to(at::kCPU).contiguous());
    tensors.push_back(stored(name, kept.back()));
  };
  for (std::size_t i = 0; i < store.groups().size(); ++i) {
    add(fmt::format("weights.{}", i), store.groups()[i].weights);
    add(fmt::format("first.{}", i), adam.means()[i].first);
    add(fmt::format("second.{}", i), adam.means()[i].second);
    if (progress.best.step > 0) add(fmt::format("best.{}", i), progress.best.weights[i]);
  }
  std::array<std::int64_t, kNumbers> numbers{};
  numbers[kStep] = static_cast<std::int64_t>(progress.step);
  numbers[kBestStep] = static_cast<std::int64_t>(progress.best.step);
  numbers[kEvaluations] = static_cast<std::int64_t>(progress.best.evaluations);
  tensors.push_back(
      {"numbers", ElementType::kInt64, {kNumbers}, {reinterpret_cast<const char*>(numbers.data()), sizeof(numbers)}});
  const std::array<double, kValues> values = {progress.best.measure, progress.loss};
  tensors.push_back(
      {"values", ElementType::kFloat64, {kValues}, {reinterpret_cast<const char*>(values.data()), sizeof(values)}});
  write_safetensors(file, tensors, std::nullopt);
}

TrainingProgress load_state(const std::filesystem::path& file, ParameterStore& store, Adam& adam) {
  const c10::NoGradGuard no_gradients;
  const auto tensors = open_safetensors(file);
  std::array<std::int64_t, kNumbers> numbers{};
  std::memcpy(numbers.data(), find(*tensors, "numbers", ElementType::kInt64, kNumbers, file).bytes.data(),
              sizeof(numbers));
  TrainingProgress progress;
  progress.step = static_cast<std::uint64_t>(numbers[kStep]);
  progress.best.step = static_cast<std::uint64_t>(numbers[kBestStep]);
  progress.best.evaluations = static_cast<std::uint64_t>(numbers[kEvaluations]);
  std::array<double, kValues> values{};
  std::memcpy(values.data(), find(*tensors, "values", ElementType::kFloat64, kValues, file).bytes.data(),
              sizeof(values));
  progress.best.measure = values[kMeasure];
  progress.loss = values[kLoss];
  for (std::size_t i = 0; i < store.groups().size(); ++i) {
    at::Tensor& weights = store.groups()[i].weights;
    read_into(weights, tensors, fmt::format("weights.{}", i), file);
    read_into(adam.means()[i].first, tensors, fmt::format("first.{}", i), file);
    read_into(adam.means()[i].second, tensors, fmt::format("second.{}", i), file);
    if (progress.best.step == 0) continue;
    progress.best.weights.push_back(at::empty(weights.sizes(), at::kFloat));
    read_into(progress.best.weights.back(), tensors, fmt::format("best.{}", i), file);
  }
  store.refresh_compute();
  return progress;
}

void share_state(ProcessGroup& group, TrainingProgress& progress, ParameterStore& store, Adam& adam) {
  if (group.size() == 1) return;
  const c10::NoGradGuard no_gradients;
  // The others add zeros to what the first has.
  const auto share = [&](at::Tensor& values) {
    at::Tensor on_host = values.to(at::kCPU, at::kFloat, false, /*copy=*/true);
    if (!group.is_first()) on_host.zero_();
    group.all_reduce_sum(std::span(on_host.mutable_data_ptr<float>(), static_cast<std::size_t>(on_host.numel())));
    values.copy_(on_host);
  };
  for (std::size_t i = 0; i < store.groups().size(); ++i) {
    share(store.groups()[i].weights);
    share(adam.means()[i].first);
    share(adam.means()[i].second);
  }
  std::array<std::uint64_t, kNumbers> numbers = {progress.step, progress.best.step, progress.best.evaluations};
  std::array<double, kValues> values = {progress.best.measure, progress.loss};
  if (!group.is_first()) {
    numbers.fill(0);
    values.fill(0);
  }
  group.all_reduce_sum(std::span<std::uint64_t>(numbers));
  group.all_reduce_sum(std::span<double>(values));
  progress.step = numbers[kStep];
  progress.best.step = numbers[kBestStep];
  progress.best.evaluations = numbers[kEvaluations];
  progress.best.measure = values[kMeasure];
  progress.loss = values[kLoss];
  store.refresh_compute();
}

}  // namespace gumption
