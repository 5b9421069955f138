#include "gumption/base/thread_pool.h"

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace gumption {
namespace {

class ThreadPoolOf : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Sizes, ThreadPoolOf, testing::Values(1, 2, 7));

TEST_P(ThreadPoolOf, RunsEachTaskOnce) {
  ThreadPool pool(GetParam());
  std::vector<std::atomic<int>> runs(1000);
  pool.parallel_for(runs.size(), [&](std::size_t i) { ++runs[i]; });
  for (const auto& count : runs) EXPECT_EQ(count, 1);
}

TEST_P(ThreadPoolOf, ExceptionsReachTheCallerAndThePoolGoesOn) {
  ThreadPool pool(GetParam());
  EXPECT_THROW(pool.parallel_for(100,
                                 [](std::size_t i) {
                                   if (i == 13) throw std::runtime_error("task 13");
                                 }),
               std::runtime_error);
  std::atomic<std::size_t> sum{0};
  pool.parallel_for(10, [&](std::size_t i) { sum += i; });
  EXPECT_EQ(sum, 45U);
}

TEST_P(ThreadPoolOf, FirstFailureWins) {
  ThreadPool pool(GetParam());
  try {
    pool.parallel_for(2, [](std::size_t i) { throw std::runtime_error("task " + std::to_string(i)); });
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "task 0");
  }
}

TEST(ThreadPool, NothingToDo) {
  ThreadPool pool(2);
  pool.parallel_for(0, [](std::size_t) { FAIL(); });
  EXPECT_EQ(pool.size(), 2U);
  EXPECT_GE(usable_cores(), 1U);
}

}  // namespace
}  // namespace gumption
