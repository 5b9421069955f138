#include "gumption/base/progress.h"

#include <gtest/gtest.h>

namespace gumption {
namespace {

TEST(Progress, ShowsShareRateAndTimeLeft) {
  // 50 of 200 in 10 s: 25%, 5 a second, 150 / 5 = 30 s left.
  EXPECT_EQ(progress_line("scoring", "questions", 50, 200, 10), "scoring   25%  5 questions/s  0:30 left");
  EXPECT_EQ(progress_line("reading", "B", 3'000'000, 6'000'000, 2), "reading   50%  1.5 MB/s  0:02 left");
}

TEST(Progress, ShowsAmountWhereTheTotalIsUnknown) {
  EXPECT_EQ(progress_line("reading", "B", 2'500'000'000, 0, 1000), "reading  2.50 GB  2.5 MB/s");
}

TEST(Progress, ShowsHours) { EXPECT_EQ(progress_line("x", "steps", 1, 7201, 1), "x    0%  1 steps/s  2:00:00 left"); }

TEST(Progress, IsSilentByDefault) {
  testing::internal::CaptureStderr();
  {
    Progress progress("quiet", "steps", 10);
    progress.add(10);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace gumption
