#include "gumption/train/step_feed.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "gumption/base/error.h"
#include "gumption/base/random.h"

namespace gumption {

namespace {

constexpr std::size_t kStepsAhead = 8;

std::uint64_t mixed(std::uint64_t seed, std::uint64_t a, std::uint64_t b) {
  std::uint64_t state = seed;
  state = split_mix(state) ^ a;
  state = split_mix(state) ^ b;
  return split_mix(state);
}

/// Cuts a process's examples, in their order, into batches of at most so many tokens; a longer example stands alone.
std::vector<std::vector<std::size_t>> cut(const Task& task, std::span<const std::size_t> examples,
                                          std::int64_t budget) {
  std::vector<std::vector<std::size_t>> batches;
  std::int64_t tokens = 0;
  for (const std::size_t example : examples) {
    const std::int64_t own = task.tokens_of(example);
    if (batches.empty() || tokens + own > budget) {
      batches.emplace_back();
      tokens = 0;
    }
    batches.back().push_back(example);
    tokens += own;
  }
  return batches;
}

}  // namespace

std::vector<std::size_t> epoch_order(std::size_t examples, const TrainOptions& options, std::uint64_t epoch) {
  std::vector<std::size_t> order(examples);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!options.shuffle) return order;
  RandomStream stream(options.seed, "epoch " + std::to_string(epoch));
  shuffle(order, stream);
  return order;
}

StepBatches make_step(const Task& task, const TrainOptions& options, const FeedOptions& feed, std::uint64_t step,
                      const std::vector<std::size_t>& order) {
  const std::uint64_t per_epoch = steps_per_epoch(order.size(), options.batch);
  const std::uint64_t begin = (step - 1) % per_epoch * options.batch;
  const std::uint64_t end = std::min<std::uint64_t>(begin + options.batch, order.size());
  StepBatches made;
  made.step = step;
  made.epoch = (step - 1) / per_epoch + 1;
  made.examples = end - begin;
  // Processes take neighbouring shares, so that together they have what one would have.
  const std::uint64_t own_begin = begin + made.examples * feed.rank / feed.processes;
  const std::uint64_t own_end = begin + made.examples * (feed.rank + 1) / feed.processes;
  const std::span<const std::size_t> own(order.data() + own_begin, own_end - own_begin);
  for (const auto& examples : cut(task, own, feed.batch_tokens)) {
    TrainingBatch batch;
    for (const std::size_t example : examples) {
      const ExampleDraw draw = {1.0F / static_cast<float>(made.examples), mixed(options.seed, step, example)};
      task.add(example, draw, batch);
    }
    made.draws.push_back(mixed(options.seed, step, examples.front()) >> 1);
    made.batches.push_back(std::move(batch));
  }
  return made;
}

StepFeed::StepFeed(const Task& task, const TrainOptions& options, const FeedOptions& feed)
    : task_(task), options_(options), feed_(feed), producer_([this] { produce(); }) {}

StepFeed::~StepFeed() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  producer_.join();
}

void StepFeed::produce() {
  try {
    const std::uint64_t per_epoch = steps_per_epoch(task_.examples(), options_.batch);
    std::uint64_t epoch = 0;
    std::vector<std::size_t> order;
    for (std::uint64_t step = feed_.first_step; step <= feed_.last_step; ++step) {
      const std::uint64_t now = (step - 1) / per_epoch + 1;
      if (now != epoch) order = epoch_order(task_.examples(), options_, now);
      epoch = now;
      StepBatches made = make_step(task_, options_, feed_, step, order);
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stopping_ || ready_.size() < kStepsAhead; });
      if (stopping_) return;
      ready_.push_back(std::move(made));
      changed_.notify_all();
    }
  } catch (...) {
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
    changed_.notify_all();
  }
}

StepBatches StepFeed::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !ready_.empty() || failure_ != nullptr; });
  if (ready_.empty()) std::rethrow_exception(failure_);
  StepBatches made = std::move(ready_.front());
  ready_.pop_front();
  changed_.notify_all();
  return made;
}

}  // namespace gumption
