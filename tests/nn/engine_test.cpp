#include "gumption/nn/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gumption/base/error.h"

namespace gumption {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string refusal_of(const char* local_rank, std::int64_t gpus) {
  try {
    gpu_of(local_rank, gpus);
  } catch (const UserError& error) {
    return error.what();
  }
  return {};
}

TEST(GpuOf, EachProcessOfAMachineTakesItsOwn) {
  EXPECT_EQ(gpu_of("0", 8), 0);
  EXPECT_EQ(gpu_of("7", 8), 7);
  EXPECT_EQ(gpu_of(nullptr, 8), std::nullopt);
}

TEST(GpuOf, TheOnlyOneSeenIsTheProcessesOwn) {
  EXPECT_EQ(gpu_of("0", 1), 0);
  EXPECT_EQ(gpu_of("3", 1), 0);
}

TEST(GpuOf, RefusesWhatNamesNone) {
  EXPECT_THAT(refusal_of("8", 8), AllOf(HasSubstr("LOCAL_RANK: process 8"), HasSubstr("8 are seen")));
  for (const char* wrong : {"", "first", "-1", "1.5", "2 "}) {
    EXPECT_THAT(refusal_of(wrong, 8), HasSubstr("LOCAL_RANK: expected")) << wrong;
    EXPECT_THAT(refusal_of(wrong, 1), HasSubstr("LOCAL_RANK: expected")) << wrong;
  }
}

}  // namespace
}  // namespace gumption
