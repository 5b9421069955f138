#include "gumption/train/train_options.h"

#include <gtest/gtest.h>

#include "gumption/base/error.h"

namespace gumption {
namespace {

TrainOptions options_with(Schedule schedule, double warmup) {
  TrainOptions options;
  options.lr = 1;
  options.schedule = schedule;
  options.warmup = warmup;
  return options;
}

TEST(TrainOptions, CountsSteps) {
  EXPECT_EQ(steps_per_epoch(33'410, 32), 1045U);  // 1,044 of 32 and one of 2
  EXPECT_EQ(steps_per_epoch(64, 32), 2U);
  TrainOptions options;
  options.epochs = 3;
  EXPECT_EQ(total_steps(options, 33'410), 3135U);
  options.steps = 7;
  EXPECT_EQ(total_steps(options, 33'410), 7U);
}

TEST(TrainOptions, LinearScheduleRisesAndFallsAsTransformersHasIt) {
  const TrainOptions options = options_with(Schedule::kLinear, 0.2);
  // Of ten steps, two rise: 0/2, 1/2; then (10 - k) / 8 for k = 2 … 9.
  EXPECT_DOUBLE_EQ(rate_at(options, 1, 10), 0);
  EXPECT_DOUBLE_EQ(rate_at(options, 2, 10), 0.5);
  EXPECT_DOUBLE_EQ(rate_at(options, 3, 10), 1);
  EXPECT_DOUBLE_EQ(rate_at(options, 10, 10), 0.125);
}

TEST(TrainOptions, BertScheduleFallsFromOneOverAllSteps) {
  const TrainOptions options = options_with(Schedule::kBert, 0.2);
  EXPECT_DOUBLE_EQ(rate_at(options, 2, 10), 0.5);
  EXPECT_DOUBLE_EQ(rate_at(options, 3, 10), 0.8);  // the jump: 1 - 2/10
  EXPECT_DOUBLE_EQ(rate_at(options, 10, 10), 0.1);
}

TEST(TrainOptions, ConstantScheduleStays) {
  const TrainOptions options = options_with(Schedule::kConstant, 0);
  EXPECT_DOUBLE_EQ(rate_at(options, 1, 10), 1);
  EXPECT_DOUBLE_EQ(rate_at(options, 10, 10), 1);
}

TEST(TrainOptions, AreSetByTheNamesOfTheContract) {
  TrainOptions options;
  const OptionSet set = describe(options);
  for (const char* setting :
       {"lr=1e-3", "epochs=2", "steps=5", "batch=4", "seed=9", "warmup=0", "schedule=constant", "weight_decay=0.1",
        "decay=all", "clip=0.5", "clip_per=tensor", "dropout=0", "shuffle=false"}) {
    set.assign(setting);
  }
  EXPECT_EQ(options.lr, 1e-3);
  EXPECT_EQ(options.adam.decay, DecaySet::kAll);
  EXPECT_EQ(options.adam.clip_per, ClipPer::kTensor);
  EXPECT_FALSE(options.shuffle);
  EXPECT_THROW(set.assign("lr=fast"), UserError);
  EXPECT_THROW(set.assign("schedule=steps"), UserError);
}

}  // namespace
}  // namespace gumption
