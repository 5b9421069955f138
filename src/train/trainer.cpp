#include "gumption/train/trainer.h"

#include <array>
#include <chrono>
#include <cmath>
#include <csignal>

#include <c10/core/GradMode.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gumption/base/error.h"
#include "gumption/base/progress.h"
#include "gumption/train/adam.h"
#include "gumption/train/step_feed.h"
#include "gumption/train/stop_signal.h"
#include "gumption/train/training_state.h"

namespace gumption {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

DropoutRates rates_of(const Learner& learner, const TrainOptions& options) {
  if (options.dropout < 0) return learner.dropout();
  return {options.dropout, options.dropout, options.dropout, options.dropout};
}

/// A step whose loss and norm are still on the device.
struct PendingStep {
  std::uint64_t step = 0;
  std::uint64_t epoch = 0;
  std::uint64_t examples = 0;
  double rate = 0;
};

class Run {
 public:
  Run(const TrainerParts& parts, const TrainOptions& options)
      : parts_(parts),
        options_(options),
        total_(total_steps(options, parts.task.examples())),
        per_epoch_(steps_per_epoch(parts.task.examples(), options.batch)),
        stream_(parts.learner.options().device()),
        adam_(parts.store, options.adam),
        runner_(parts.learner, parts.store, rates_of(parts.learner, options)) {
    parts.store.set_without_effect(parts.learner.without_effect());
    sum_ = parts.sum;
    if (sum_ == nullptr && parts.group.size() > 1) {
      own_sum_ = make_gradient_sum(parts.group, parts.learner.options().device());
      sum_ = own_sum_.get();
    }
    const bool on_gpu = parts.learner.options().device().is_cuda();
    steps_unread_ = on_gpu ? kStepsUnread : 1;
    values_ = at::zeros({static_cast<std::int64_t>(steps_unread_), 2}, parts.learner.options().dtype(at::kFloat));
  }

  TrainReport run();

 private:
  // A GPU isn't waited for after each step: what steps said is read once for so many.
  static constexpr std::size_t kStepsUnread = 32;

  void start();
  void take_step(const StepBatches& batches);
  void share_gradients();
  void read_values();
  void write_lines(const at::Tensor& values);
  void check_finite(const PendingStep& pending, double loss, double norm);
  bool is_time_to_evaluate() const;
  void evaluate();
  bool has_no_patience() const { return options_.patience != 0 && progress_.best.evaluations >= options_.patience; }
  void check_weights() const;
  const char* what_is_left() const;
  bool is_time_to_save() const;
  void save();
  /// What all processes do after a step: the first one's clock and anyone's signal decide.
  struct Decision {
    bool save = false;
    int stop = 0;  // the signal
  };
  Decision decide() const;
  void finish();
  std::string result_json() const;

  const TrainerParts& parts_;
  const TrainOptions& options_;
  std::uint64_t total_;
  std::uint64_t per_epoch_;
  WorkStream stream_;
  Adam adam_;
  StepRunner runner_;
  std::unique_ptr<GradientSum> own_sum_;
  GradientSum* sum_ = nullptr;  // nullptr: nothing is shared
  StopSignal signal_;
  TrainingProgress progress_;
  TrainReport report_;

  std::size_t steps_unread_ = 1;
  at::Tensor values_;  // [steps, 2]: losses and norms
  std::vector<PendingStep> pending_;
  std::optional<double> measured_;  // at the last pending step
  double last_finite_ = 0;
  bool has_saved_ = false;  // this run, perhaps before it was resumed
  int stop_ = 0;
  Clock::time_point read_at_;
  Clock::time_point saved_at_;
};

void Run::start() {
  if (parts_.folder != nullptr) {
    if (parts_.folder->has_state()) progress_ = load_state(parts_.folder->state_file(), parts_.store, adam_);
    parts_.folder->open_log(progress_.step);
  }
  share_state(parts_.group, progress_, parts_.store, adam_);
  has_saved_ = progress_.step > 0;
  report_.loss = last_finite_ = progress_.loss;
  report_.stopped_early = has_no_patience();
  report_.total_steps = total_;
  report_.measure = parts_.task.measure();
  report_.parameters = static_cast<std::uint64_t>(parts_.store.parameters());
  read_at_ = saved_at_ = Clock::now();
}

void Run::share_gradients() {
  if (sum_ == nullptr) return;
  for (auto& group : parts_.store.groups()) {
    // In float32 everywhere, however many batches a process had: all must update by the same numbers.
    at::Tensor sums = group.step_gradients().to(at::kFloat);
    sum_->add_up(sums);
    if (!sums.is_same(group.gradients)) group.sums = sums;
  }
}

void Run::take_step(const StepBatches& batches) {
  const double rate = rate_at(options_, batches.step, total_);
  at::Tensor slot = values_.select(0, static_cast<std::int64_t>(pending_.size()));
  slot.zero_();
  parts_.store.clear_gradients();
  for (std::size_t i = 0; i < batches.batches.size(); ++i) {
    slot.select(0, 0).add_(runner_.run(batches.batches[i], batches.draws[i]));
    if (batches.batches.size() > 1) parts_.store.gather_gradients();
  }
  const c10::NoGradGuard no_gradients;
  parts_.store.clear_without_effect();
  share_gradients();
  slot.select(0, 1).copy_(adam_.update(rate, batches.step));
  pending_.push_back({batches.step, batches.epoch, batches.examples, rate});
  progress_.step = batches.step;
  report_.examples += batches.examples;
}

void Run::check_finite(const PendingStep& pending, double loss, double norm) {
  if (std::isfinite(loss) && std::isfinite(norm)) {
    last_finite_ = loss;
    return;
  }
  throw UserError(
      fmt::format("Step {}: the loss is {} and the gradients' norm {} (rate {:.3g}; the last finite loss was {:.4g}). "
                  "Take a smaller lr or a longer warmup. {}",
                  pending.step, loss, norm, pending.rate, last_finite_, what_is_left()));
}

void Run::read_values() {
  if (pending_.empty()) return;
  at::Tensor values = values_.to(at::kCPU, at::kDouble).contiguous();
  if (parts_.group.size() > 1) {
    // Each has the loss of its own share; the norms are the same.
    at::Tensor losses = values.select(1, 0).contiguous();
    parts_.group.all_reduce_sum(std::span(losses.mutable_data_ptr<double>(), static_cast<std::size_t>(losses.numel())));
    values.select(1, 0).copy_(losses);
  }
  write_lines(values);
}

void Run::write_lines(const at::Tensor& values) {
  const double seconds = seconds_since(read_at_);
  read_at_ = Clock::now();
  std::uint64_t examples = 0;
  for (const PendingStep& pending : pending_) examples += pending.examples;
  const auto rows = values.accessor<double, 2>();
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    const PendingStep& pending = pending_[i];
    const auto row = static_cast<std::int64_t>(i);
    const double loss = rows[row][0];
    const double norm = rows[row][1];
    check_finite(pending, loss, norm);
    report_.loss = progress_.loss = loss;
    if (parts_.folder == nullptr) continue;
    nlohmann::ordered_json line;
    line["step"] = pending.step;
    line["epoch"] = pending.epoch;
    line["loss"] = loss;
    line["lr"] = pending.rate;
    line["grad_norm"] = norm;
    line["examples_per_second"] = std::round(10 * static_cast<double>(examples) / std::max(seconds, 1e-9)) / 10;
    if (measured_ && i + 1 == pending_.size()) line[parts_.task.measure()] = *measured_;
    parts_.folder->log(line.dump());
  }
  pending_.clear();
  measured_.reset();
  if (parts_.folder != nullptr) parts_.folder->flush_log();
}

bool Run::is_time_to_evaluate() const {
  const std::uint64_t every = options_.eval_steps != 0 ? options_.eval_steps : per_epoch_;
  return progress_.step % every == 0 || progress_.step == total_;
}

void Run::evaluate() {
  // A process that is lost is noticed here; on a GPU one would wait for its part of a sum for good.
  parts_.group.barrier();
  stream_.wait();  // measuring uses streams of its own
  parts_.learner.weights_changed();
  const std::optional<double> measured = parts_.task.evaluate();
  if (!measured) return;
  if (!std::isfinite(*measured)) {
    throw UserError(fmt::format("Step {}: the {} is {}. Take a smaller lr. {}", progress_.step, parts_.task.measure(),
                                *measured, what_is_left()));
  }
  measured_ = measured;
  report_.last = measured;
  BestSoFar& best = progress_.best;
  const bool gained = parts_.task.higher_is_better() ? *measured > best.measure : *measured < best.measure;
  if (best.step == 0 || gained) {
    best.step = progress_.step;
    best.measure = *measured;
    best.evaluations = 0;
    if (parts_.folder != nullptr) best.weights = parts_.store.copy_weights();
  } else {
    ++best.evaluations;
    report_.stopped_early = has_no_patience();
  }
}

bool Run::is_time_to_save() const {
  if (options_.save_steps != 0) return progress_.step % options_.save_steps == 0;
  return seconds_since(saved_at_) >= 60 * options_.save_minutes;
}

/// For a run that has diverged.
const char* Run::what_is_left() const {
  return has_saved_ ? "What was saved before stays as it is." : "Nothing was saved before.";
}

/// A step's loss is that before its update: the last one's may have spoilt the weights unseen.
void Run::check_weights() const {
  for (const auto& group : parts_.store.groups()) {
    if (std::isfinite(group.weights.sum(at::kDouble).item<double>())) continue;
    throw UserError(fmt::format("Step {}: some weights are no longer finite. Take a smaller lr. {}", progress_.step,
                                what_is_left()));
  }
}

void Run::save() {
  if (parts_.folder == nullptr) return;
  check_weights();
  save_state(parts_.folder->state_file(), progress_, parts_.store, adam_);
  if (progress_.best.step > 0) parts_.write_model(parts_.store.named(progress_.best.weights));
  saved_at_ = Clock::now();
}

Run::Decision Run::decide() const {
  Decision decision = {is_time_to_save(), signal_.caught()};
  if (parts_.group.size() == 1) return decision;
  std::array<std::uint64_t, 2> all = {parts_.group.is_first() && decision.save ? 1U : 0U, decision.stop != 0 ? 1U : 0U};
  parts_.group.all_reduce_sum(std::span<std::uint64_t>(all));
  decision.save = all[0] > 0;
  if (all[1] > 0 && decision.stop == 0) decision.stop = SIGTERM;
  return decision;
}

std::string Run::result_json() const {
  nlohmann::ordered_json json;
  json["steps"] = progress_.step;
  json["loss"] = report_.loss;
  if (progress_.best.step > 0) {
    json["best_step"] = progress_.best.step;
    json[parts_.task.measure()] = progress_.best.measure;
  }
  return json.dump();
}

void Run::finish() {
  if (parts_.folder != nullptr) {
    const bool measured = progress_.best.step > 0;
    if (!measured) check_weights();
    parts_.write_model(parts_.store.named(measured ? progress_.best.weights : parts_.store.copy_weights()));
    parts_.folder->finish(result_json());
  }
  parts_.group.barrier();  // none says that it is done before the model is written
}

TrainReport Run::run() {
  const auto started = Clock::now();
  start();
  const std::uint64_t before = progress_.step;
  Progress progress("training", "examples", (total_ - before) * options_.batch);
  FeedOptions feed;
  feed.first_step = progress_.step + 1;
  feed.last_step = total_;
  feed.batch_tokens = parts_.batch_tokens;
  feed.rank = parts_.group.rank();
  feed.processes = parts_.group.size();
  StepFeed steps(parts_.task, options_, feed);
  while (progress_.step < total_ && !report_.stopped_early && stop_ == 0) {
    take_step(steps.next());
    progress.set((progress_.step - before) * options_.batch);
    if (is_time_to_evaluate()) evaluate();
    const Decision decision = decide();
    stop_ = decision.stop;
    const bool saves = decision.save || (stop_ != 0 && progress_.step < total_);
    if (pending_.size() == steps_unread_ || measured_ || saves) read_values();
    if (!saves) continue;
    save();
    has_saved_ = true;
  }
  read_values();
  report_.steps = progress_.step;
  report_.stopped_by = progress_.step == total_ ? 0 : stop_;
  if (progress_.best.step > 0) {
    report_.best = progress_.best.measure;
    report_.best_step = progress_.best.step;
  }
  if (report_.stopped_by == 0) finish();
  report_.seconds = seconds_since(started);
  return report_;
}

}  // namespace

TrainReport train(const TrainerParts& parts, const TrainOptions& options) {
  ensure(parts.task.examples() > 0, "there is something to learn from");
  return Run(parts, options).run();
}

}  // namespace gumption
