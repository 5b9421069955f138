#pragma once

// The batches of one step after another, made on another thread while the device is busy.

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "gumption/train/task.h"
#include "gumption/train/train_options.h"

namespace gumption {

/// What one process computes in one step.
struct StepBatches {
  std::uint64_t step = 0;      // from 1
  std::uint64_t epoch = 0;     // from 1
  std::uint64_t examples = 0;  // of all processes
  std::vector<TrainingBatch> batches;
  std::vector<std::uint64_t> draws;  // one for each batch
};

struct FeedOptions {
  std::uint64_t first_step = 1;
  std::uint64_t last_step = 0;
  std::int64_t batch_tokens = 0;  // that go through the device at a time
  std::size_t rank = 0;
  std::size_t processes = 1;
};

/// The order of an epoch's examples: a function of the seed and the epoch.
std::vector<std::size_t> epoch_order(std::size_t examples, const TrainOptions& options, std::uint64_t epoch);

/// One step's batches, from the start: what StepFeed gives.
StepBatches make_step(const Task& task, const TrainOptions& options, const FeedOptions& feed, std::uint64_t step,
                      const std::vector<std::size_t>& order);

/// One thread may call it.
class StepFeed {
 public:
  /// `task` must outlive it.
  StepFeed(const Task& task, const TrainOptions& options, const FeedOptions& feed);
  StepFeed(const StepFeed&) = delete;
  StepFeed& operator=(const StepFeed&) = delete;
  ~StepFeed();

  /// The next step's; must not be called behind the last.
  StepBatches next();

 private:
  void produce();

  const Task& task_;
  TrainOptions options_;
  FeedOptions feed_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<StepBatches> ready_;
  std::exception_ptr failure_;
  bool stopping_ = false;
  std::thread producer_;
};

}  // namespace gumption
