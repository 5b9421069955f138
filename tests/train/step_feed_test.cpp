#include "gumption/train/step_feed.h"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "gumption/base/error.h"

namespace gumption {
namespace {

/// Examples of one sequence each, as long as their number says.
class CountingTask final : public Task {
 public:
  explicit CountingTask(std::size_t examples) : examples_(examples) {}
  std::size_t examples() const override { return examples_; }
  std::int64_t tokens_of(std::size_t example) const override { return static_cast<std::int64_t>(example % 5) + 1; }
  void add(std::size_t example, const ExampleDraw& draw, TrainingBatch& batch) const override {
    if (example == fails_at) throw UserError("a bad example");
    const std::vector<std::int32_t> ids(static_cast<std::size_t>(tokens_of(example)), static_cast<int>(example));
    batch.add(ids, {}, -1, draw.key);
    batch.word_weights.push_back(draw.weight);
  }
  std::optional<double> evaluate() override { return std::nullopt; }
  bool higher_is_better() const override { return true; }
  std::string measure() const override { return "dev"; }

  std::size_t fails_at = SIZE_MAX;

 private:
  std::size_t examples_;
};

TrainOptions options_of(std::uint64_t batch, std::uint64_t epochs) {
  TrainOptions options;
  options.batch = batch;
  options.epochs = epochs;
  return options;
}

std::vector<std::int64_t> examples_of(const StepBatches& step) {
  std::vector<std::int64_t> all;
  for (const TrainingBatch& batch : step.batches) {
    for (const Segment& segment : batch.tokens.layout.segments) {
      all.push_back(batch.tokens.ids[static_cast<std::size_t>(segment.begin)]);
    }
  }
  return all;
}

TEST(StepFeed, SeesEveryExampleOnceAnEpochInAnotherOrderEachTime) {
  const CountingTask task(10);
  const TrainOptions options = options_of(4, 2);
  StepFeed feed(task, options, {1, 6, 1000});
  std::vector<std::vector<std::int64_t>> epochs(2);
  for (int step = 0; step < 6; ++step) {
    const StepBatches made = feed.next();
    EXPECT_EQ(made.examples, step % 3 == 2 ? 2U : 4U);
    for (const std::int64_t example : examples_of(made)) epochs[made.epoch - 1].push_back(example);
  }
  EXPECT_NE(epochs[0], epochs[1]);
  std::vector<std::int64_t> all(10);
  std::iota(all.begin(), all.end(), 0);
  for (auto& epoch : epochs) {
    std::sort(epoch.begin(), epoch.end());
    EXPECT_EQ(epoch, all);
  }
}

TEST(StepFeed, AStepIsTheSameFromWhereverOneBegins) {
  const CountingTask task(10);
  const TrainOptions options = options_of(4, 3);
  StepFeed whole(task, options, {1, 9, 1000});
  for (int step = 1; step < 5; ++step) whole.next();
  StepFeed resumed(task, options, {5, 9, 1000});
  const StepBatches a = whole.next();
  const StepBatches b = resumed.next();
  EXPECT_EQ(a.step, b.step);
  EXPECT_EQ(a.draws, b.draws);
  EXPECT_EQ(a.batches.front().tokens.ids, b.batches.front().tokens.ids);
  EXPECT_EQ(a.batches.front().keys, b.batches.front().keys);
}

TEST(StepFeed, CutsAndSharesWithoutChangingWhatIsLearnt) {
  const CountingTask task(10);
  const TrainOptions options = options_of(8, 1);
  const auto order = epoch_order(10, options, 1);
  const StepBatches whole = make_step(task, options, {1, 2, 1000}, 1, order);
  const StepBatches cut = make_step(task, options, {1, 2, 6}, 1, order);
  EXPECT_EQ(whole.batches.size(), 1U);
  EXPECT_GT(cut.batches.size(), 1U);
  EXPECT_EQ(examples_of(whole), examples_of(cut));
  std::vector<std::int64_t> keys;
  for (const auto& batch : cut.batches) keys.insert(keys.end(), batch.keys.begin(), batch.keys.end());
  EXPECT_EQ(keys, whole.batches.front().keys);  // the same activations are dropped
  EXPECT_FLOAT_EQ(cut.batches.front().word_weights.front(), 1.0F / 8);

  std::vector<std::int64_t> shared;
  for (std::size_t rank = 0; rank < 3; ++rank) {
    const StepBatches share = make_step(task, options, {1, 2, 1000, rank, 3}, 1, order);
    EXPECT_EQ(share.examples, 8U);
    for (const std::int64_t example : examples_of(share)) shared.push_back(example);
  }
  EXPECT_EQ(shared, examples_of(whole));
}

TEST(StepFeed, KeepsTheFileOrderWithoutShuffling) {
  const CountingTask task(6);
  TrainOptions options = options_of(6, 1);
  options.shuffle = false;
  StepFeed feed(task, options, {1, 1, 1000});
  EXPECT_EQ(examples_of(feed.next()), (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5}));
}

TEST(StepFeed, HandsOnWhatGoesWrong) {
  CountingTask task(6);
  task.fails_at = 3;
  StepFeed feed(task, options_of(6, 1), {1, 1, 1000});
  EXPECT_THROW(feed.next(), UserError);
}

}  // namespace
}  // namespace gumption
