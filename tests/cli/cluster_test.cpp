#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "gumption/base/build_info.h"

#include "support/processes.h"
#include "support/shell.h"
#include "support/support.h"

namespace gumption::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// The same command in several processes.
std::vector<RunResult> launch(std::size_t size, const std::vector<std::string>& arguments) {
  const std::uint16_t port = free_port();
  std::vector<RunResult> results(size);
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      RunOptions options;
      options.environment = launcher_variables(rank, size, port);
      results[rank] = gumption(arguments, options);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return results;
}

constexpr const char* kText = "The ice melted. The man dropped the glass, and the glass broke; the ice was cold.\n";
constexpr const char* kQuestion = R"({"id": "1", "context": "The man dropped the glass.", "question": "effect", )"
                                  R"("choices": ["The glass broke.", "The ice was cold."], "label": 0})";

TEST(LaunchedProcesses, OnlyTheFirstAnswersAndAsOneProcessWould) {
  if (!has_feature("cluster")) GTEST_SKIP() << "built without the feature";
  const TemporaryFolder folder;
  const std::string text = folder.write("text.txt", kText);
  const std::string data = folder.write("q.jsonl", std::string(kQuestion) + "\n");
  const std::vector<std::vector<std::string>> commands = {
      {"corpus", "count", text, "glass", "broke", "--json"},
      {"eval", "--system", "pmi", "--corpus", text, "--data", data, "--json"},
      {"score", "--system", "pmi", "--corpus", text, "--data", data},
      {"corpus", "build", text, "--out", folder / "i", "--json"}};
  for (const auto& command : commands) {
    const RunResult alone = gumption(command);
    ASSERT_EQ(alone.exit_code, 0) << alone.err;
    const auto together = launch(3, command);
    for (const RunResult& result : together) EXPECT_EQ(result.exit_code, 0) << result.err;
    // How the work was divided is the only thing that a build says otherwise.
    auto expected = alone.out;
    auto found = together[0].out;
    if (command[1] == "build") {
      const auto without_shards = [](const std::string& json) {
        auto parsed = nlohmann::ordered_json::parse(json);
        parsed.erase("shards");
        return parsed.dump();
      };
      expected = without_shards(expected);
      found = without_shards(found);
    }
    EXPECT_EQ(found, expected) << command[0];
    for (const std::size_t rank : {1, 2}) EXPECT_EQ(together[rank].out + together[rank].err, "") << command[0];
  }
}

TEST(LaunchedProcesses, WrongVariablesAreNamed) {
  const TemporaryFolder folder;
  const std::string text = folder.write("text.txt", kText);
  RunOptions options;
  options.environment = {"WORLD_SIZE=2", "RANK=2", "MASTER_ADDR=127.0.0.1", "MASTER_PORT=29500"};
  const RunResult result = gumption({"corpus", "build", text, "--out", folder / "i"}, options);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, AllOf(HasSubstr("RANK: expected a whole number from 0 to 1"), HasSubstr("\"2\"")));
  EXPECT_FALSE(std::filesystem::exists(folder / "i"));
  // Commands that work alone don't care.
  EXPECT_EQ(gumption({"doctor"}, options).exit_code, 0);
}

TEST(LaunchedProcesses, WithoutTheFeatureSayThatItIsOff) {
  if (has_feature("cluster")) GTEST_SKIP() << "built with the feature";
  const TemporaryFolder folder;
  const std::string text = folder.write("text.txt", kText);
  RunOptions options;
  options.environment = launcher_variables(0, 2, 29500);
  const RunResult result = gumption({"corpus", "build", text, "--out", folder / "i"}, options);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("GUMPTION_WITH_CLUSTER"));
}

}  // namespace
}  // namespace gumption::test
