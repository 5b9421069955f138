#include "gumption/cluster/process_group.h"

#include <csignal>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "gumption/base/build_info.h"
#include "gumption/base/error.h"
#if GUMPTION_WITH_CLUSTER
#include "gumption/cluster/gloo.h"
#endif

#include "support/processes.h"

namespace gumption {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;

ClusterOptions options_of(std::size_t rank, std::size_t size, std::uint16_t port, int seconds = 60) {
  ClusterOptions options;
  options.rank = rank;
  options.size = size;
  options.address = "127.0.0.1";
  options.port = port;
  options.timeout = std::chrono::seconds(seconds);
  return options;
}

/// In a child, where gtest's own checks wouldn't be seen.
void check(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(what);
}

/// Runs task(group) in each of `size` processes and expects all to end well.
void expect_all(std::size_t size, const std::function<void(ProcessGroup&)>& task) {
  const std::uint16_t port = test::free_port();
  const auto results = test::run_processes(size, [&](std::size_t rank) {
    ProcessGroup group(options_of(rank, size, port));
    task(group);
    group.barrier();
  });
  for (std::size_t rank = 0; rank < size; ++rank) {
    EXPECT_EQ(results[rank].exit_code, 0) << rank << ": " << results[rank].error;
  }
}

class SeveralProcesses : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_feature("cluster")) GTEST_SKIP() << "built without the feature";
#if GUMPTION_WITH_CLUSTER
    use_gloo();
#endif
  }
};

TEST(ProcessGroup, OfOneNeedsNobody) {
  ProcessGroup group{ClusterOptions()};
  EXPECT_EQ(group.size(), 1U);
  EXPECT_TRUE(group.is_first());
  group.barrier();
  EXPECT_THAT(group.all_gather("alone"), ElementsAre("alone"));
  std::vector<double> values = {1.5};
  group.all_reduce_sum(values);
  EXPECT_THAT(values, ElementsAre(1.5));
}

TEST(ProcessGroup, SaysThatTheFeatureIsOff) {
  if (has_feature("cluster")) GTEST_SKIP() << "built with the feature";
  try {
    ProcessGroup group(options_of(0, 2, 29500));
    FAIL() << "expected a complaint";
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("GUMPTION_WITH_CLUSTER"));
  }
}

TEST_F(SeveralProcesses, GatherTextsOfAnySize) {
  expect_all(3, [](ProcessGroup& group) {
    // The second gives nothing, the third several blocks and a bit.
    const std::size_t large = 2 * ProcessGroup::kBlock + 17;
    const std::vector<std::string> given = {"zero", "", std::string(large, 'x')};
    check(group.all_gather(given[group.rank()]) == given, "all texts are there, in order");
  });
}

TEST_F(SeveralProcesses, SumWhatTheyHave) {
  expect_all(3, [](ProcessGroup& group) {
    const std::uint64_t own = group.rank() + 1;
    // 2^63 + 2^63 − 1 needs all 64 bits; the third adds nothing.
    const std::vector<std::uint64_t> halves = {std::uint64_t{1} << 63, (std::uint64_t{1} << 63) - 1, 0};
    std::vector<std::uint64_t> numbers = {own, 10 * own, halves[group.rank()]};
    group.all_reduce_sum(numbers);
    check(numbers == std::vector<std::uint64_t>{6, 60, ~std::uint64_t{0}}, "whole numbers");
    std::vector<float> floats = {.5F * static_cast<float>(own)};
    group.all_reduce_sum(floats);
    check(floats == std::vector<float>{3}, "floats");
    std::vector<double> doubles = {.25 * static_cast<double>(own)};
    group.all_reduce_sum(doubles);
    check(doubles == std::vector<double>{1.5}, "doubles");
  });
}

TEST_F(SeveralProcesses, EveryoneToEveryone) {
  expect_all(3, [](ProcessGroup& group) {
    std::vector<std::string> got(group.size());
    group.all_to_all(
        [&](std::size_t to) -> ProcessGroup::GiveBlock {
          // As many blocks as the receiver's number, so that streams of different lengths meet.
          return [&group, to, left = to, block = std::string()]() mutable -> std::string_view {
            if (left == 0) return {};
            --left;
            block = std::to_string(group.rank()) + std::to_string(to) + " ";
            return block;
          };
        },
        [&](std::size_t from, std::string_view block) { got[from] += block; });
    for (std::size_t from = 0; from < group.size(); ++from) {
      std::string expected;
      for (std::size_t i = 0; i < group.rank() && from != group.rank(); ++i) {
        expected += std::to_string(from) + std::to_string(group.rank()) + " ";
      }
      check(got[from] == expected, "blocks from each");
    }
  });
}

TEST_F(SeveralProcesses, OneSendsOneReceives) {
  expect_all(2, [](ProcessGroup& group) {
    if (group.rank() == 1) {
      int left = 3;
      group.send(0, [&]() -> std::string_view { return left-- > 0 ? "block" : ""; });
    } else {
      std::string got;
      group.receive(1, [&](std::string_view block) { got += block; });
      check(got == "blockblockblock", "what was sent");
    }
  });
}

TEST_F(SeveralProcesses, EndWhenOneIsKilled) {
  const std::uint16_t port = test::free_port();
  const auto start = std::chrono::steady_clock::now();
  const auto results = test::run_processes(3, [&](std::size_t rank) {
    ProcessGroup group(options_of(rank, 3, port));
    group.barrier();
    if (rank == 2) ::kill(::getpid(), SIGKILL);
    std::vector<std::uint64_t> numbers(1000);
    if (rank == 0) group.all_gather("still here");
    if (rank == 1) group.all_gather("and I");
  });
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(50));
  EXPECT_EQ(results[2].exit_code, 128 + SIGKILL);
  for (const std::size_t rank : {0, 1}) {
    EXPECT_EQ(results[rank].exit_code, 1);
    EXPECT_THAT(results[rank].error, AllOf(HasSubstr("has ended or can't be reached"), HasSubstr("of 3")));
  }
}

TEST_F(SeveralProcesses, EndWhenOneIsKilledDuringASum) {
  const std::uint16_t port = test::free_port();
  const auto results = test::run_processes(3, [&](std::size_t rank) {
    ProcessGroup group(options_of(rank, 3, port));
    group.barrier();
    if (rank == 1) ::kill(::getpid(), SIGKILL);
    std::vector<double> numbers(1'000'000, 1);
    group.all_reduce_sum(numbers);
  });
  for (const std::size_t rank : {0, 2}) {
    EXPECT_EQ(results[rank].exit_code, 1);
    EXPECT_THAT(results[rank].error, HasSubstr("has ended or can't be reached"));
  }
}

TEST_F(SeveralProcesses, EndWhenOneIsSilent) {
  const std::uint16_t port = test::free_port();
  const auto results = test::run_processes(2, [&](std::size_t rank) {
    ProcessGroup group(options_of(rank, 2, port, 2));
    group.barrier();
    if (rank == 1) ::sleep(6);  // alive, but past the time-out
    if (rank == 0) group.barrier();
  });
  EXPECT_EQ(results[0].exit_code, 1);
  EXPECT_THAT(results[0].error, HasSubstr("Process 1 of 2"));
}

TEST_F(SeveralProcesses, SayWhenOneNeverComes) {
  const std::uint16_t port = test::free_port();
  const auto first_alone = test::run_processes(1, [&](std::size_t) { ProcessGroup group(options_of(0, 2, port, 2)); });
  EXPECT_THAT(first_alone[0].error, AllOf(HasSubstr("WORLD_SIZE"), HasSubstr("within 2 s")));
  const auto second_alone = test::run_processes(1, [&](std::size_t) { ProcessGroup group(options_of(1, 2, port, 2)); });
  EXPECT_THAT(second_alone[0].error, AllOf(HasSubstr("MASTER_ADDR"), HasSubstr("RANK 0")));
}

}  // namespace
}  // namespace gumption
