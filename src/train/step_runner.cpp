#include "gumption/train/step_runner.h"

#include "gumption/train/step_recordings.h"

namespace gumption {

StepRunner::StepRunner(const Learner& learner, ParameterStore& store, const DropoutRates& rates, bool recorded)
    : learner_(learner),
      rates_(rates),
      drops_(rates.embedding > 0 || rates.residual > 0 || rates.attention > 0 || rates.classifier > 0) {
  const at::TensorOptions& options = learner.options();
  if (!recorded || !StepRecordings::are_supported(options)) return;
  seed_ = at::zeros({1}, options.dtype(at::kLong));
  const auto pass = [this](const TrainingInput& input) {
    Dropout dropout;
    dropout.active = drops_;
    dropout.rates = rates_;
    dropout.seed = seed_;
    const at::Tensor loss = loss_of(learner_, input, dropout);
    loss.backward();
    return loss.detach();
  };
  const auto clear = [this, &store] {
    store.clear_gradients();
    seed_gpu_generator(draw_);
  };
  recordings_ = std::make_unique<StepRecordings>(pass, clear, learner.sight(), options);
}

StepRunner::~StepRunner() = default;

at::Tensor StepRunner::run(const TrainingBatch& batch, std::uint64_t draw) {
  if (recordings_ == nullptr) return run_plainly(batch, draw);
  draw_ = draw;
  seed_.fill_(static_cast<std::int64_t>(draw));
  seed_gpu_generator(draw);
  return recordings_->run(batch);
}

at::Tensor StepRunner::run_plainly(const TrainingBatch& batch, std::uint64_t draw) {
  const at::TensorOptions& options = learner_.options();
  Dropout dropout;
  dropout.active = drops_;
  dropout.rates = rates_;
  if (options.device().is_cpu()) {
    dropout.keys = to_device(batch.keys, options);
  } else {
    seed_gpu_generator(draw);
  }
  const at::Tensor loss = loss_of(learner_, to_device(batch, learner_.sight(), options), dropout);
  loss.backward();
  return loss.detach();
}

}  // namespace gumption
