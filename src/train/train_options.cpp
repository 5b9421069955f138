#include "gumption/train/train_options.h"

#include <algorithm>

#include "gumption/base/error.h"

namespace gumption {

namespace {

const std::vector<NamedValue<bool>>& yes_or_no() {
  static const std::vector<NamedValue<bool>> values = {{"true", true}, {"false", false}};
  return values;
}

}  // namespace

OptionSet describe(AdamOptions& options) {
  OptionSet set;
  set.add("beta1", options.beta1, "Decay of Adam's mean of gradients", {0, 0.999999});
  set.add("beta2", options.beta2, "Decay of Adam's mean of squares", {0, 0.9999999});
  set.add("epsilon", options.epsilon, "Added to the root of Adam's mean of squares (gpt: 1e-08)", {1e-30, 1});
  set.add_choice("bias_correction", options.bias_correction, "Correct Adam's means for their start at zero",
                 yes_or_no());
  set.add("weight_decay", options.weight_decay, "Share of the rate by which weights shrink at each step", {0, 1});
  set.add_choice("decay", options.decay, "What shrinks: matrices (not biases and norms), all or none",
                 std::vector<NamedValue<DecaySet>>{
                     {"matrices", DecaySet::kMatrices}, {"all", DecaySet::kAll}, {"none", DecaySet::kNone}});
  set.add("clip", options.clip, "Largest norm of the gradients; 0: any", {0, 1e30});
  set.add_choice("clip_per", options.clip_per, "Norm of all gradients together, or of each tensor's",
                 std::vector<NamedValue<ClipPer>>{{"global", ClipPer::kGlobal}, {"tensor", ClipPer::kTensor}});
  return set;
}

OptionSet describe(TrainOptions& options) {
  OptionSet set;
  set.add("lr", options.lr, "Learning rate at its peak (gpt: 6.25e-05)", {0, 1e30});
  set.add("epochs", options.epochs, "Times that all examples are seen", {1, 1'000'000});
  set.add("steps", options.steps, "Updates; 0: as many as the epochs have");
  set.add("batch", options.batch, "Examples of an update, over all processes", {1, 1'000'000});
  set.add("seed", options.seed, "Seed of new heads, of the order and of dropout");
  set.add_choice("shuffle", options.shuffle, "Another order in each epoch", yes_or_no());
  set.add_choice("schedule", options.schedule, "How the rate goes on after the warm-up",
                 std::vector<NamedValue<Schedule>>{
                     {"linear", Schedule::kLinear}, {"bert", Schedule::kBert}, {"constant", Schedule::kConstant}});
  set.add("warmup", options.warmup, "Share of the steps in which the rate rises (gpt: 0.002)", {0, 1});
  set.add_all(describe(options.adam));
  set.add("dropout", options.dropout, "Share of activations that is dropped; -1: the model's own rates", {-1, 0.99});
  set.add("eval_steps", options.eval_steps, "Steps between two evaluations on --dev; 0: after each epoch");
  set.add("patience", options.patience, "Evaluations without gain after which training ends; 0: it goes on");
  set.add("save_steps", options.save_steps, "Steps between two saved states; 0: by time");
  set.add("save_minutes", options.save_minutes, "Minutes between two saved states", {0, 1e6});
  set.add("from_scratch", options.from_scratch, "Random weights in the place of the checkpoint's");
  return set;
}

std::uint64_t steps_per_epoch(std::uint64_t examples, std::uint64_t batch) { return (examples + batch - 1) / batch; }

std::uint64_t total_steps(const TrainOptions& options, std::uint64_t examples) {
  return options.steps != 0 ? options.steps : options.epochs * steps_per_epoch(examples, options.batch);
}

double rate_at(const TrainOptions& options, std::uint64_t step, std::uint64_t total) {
  ensure(step >= 1 && step <= total, "a step is one of the run's");
  const double before = static_cast<double>(step - 1);
  const double all = static_cast<double>(total);
  const double rising = options.warmup * all;
  if (before < rising) return options.lr * before / rising;
  switch (options.schedule) {
    case Schedule::kLinear:
      return options.lr * std::max(0.0, (all - before) / std::max(1.0, all - rising));
    case Schedule::kBert:
      return options.lr * (1 - before / all);
    case Schedule::kConstant:
      return options.lr;
  }
  throw InternalError("a schedule of no kind");
}

}  // namespace gumption
