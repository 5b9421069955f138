#include "gumption/cluster/cluster_options.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gumption/base/error.h"

namespace gumption {
namespace {

using testing::AllOf;
using testing::HasSubstr;

using Variables = std::map<std::string, std::string>;

ClusterOptions read(const Variables& variables) {
  return ClusterOptions::from([&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

std::string complaint_about(const Variables& variables) {
  try {
    read(variables);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

const Variables kSecondOfThree = {
    {"RANK", "1"}, {"WORLD_SIZE", "3"}, {"MASTER_ADDR", "node7"}, {"MASTER_PORT", "29500"}};

Variables but(const std::string& name, const std::string& value) {
  Variables variables = kSecondOfThree;
  variables[name] = value;
  return variables;
}

Variables without(const std::string& name) {
  Variables variables = kSecondOfThree;
  variables.erase(name);
  return variables;
}

TEST(ClusterOptions, NothingSetIsASingleProcess) {
  const ClusterOptions options = read({});
  EXPECT_EQ(options.rank, 0U);
  EXPECT_EQ(options.size, 1U);
  // Left over from something else, and of no concern.
  EXPECT_EQ(read({{"MASTER_ADDR", "x"}, {"MASTER_PORT", "no port"}}).size, 1U);
  EXPECT_EQ(read({{"WORLD_SIZE", "1"}, {"RANK", "0"}}).size, 1U);
}

TEST(ClusterOptions, TakesTheLaunchersVariables) {
  const ClusterOptions options = read(kSecondOfThree);
  EXPECT_EQ(options.rank, 1U);
  EXPECT_EQ(options.size, 3U);
  EXPECT_EQ(options.address, "node7");
  EXPECT_EQ(options.port, 29500);
  EXPECT_FALSE(options.agent_has_store);
  EXPECT_EQ(options.timeout, std::chrono::minutes(30));
  EXPECT_EQ(read(but("GUMPTION_TIMEOUT", "7")).timeout, std::chrono::seconds(7));
  EXPECT_TRUE(read(but("TORCHELASTIC_USE_AGENT_STORE", "True")).agent_has_store);
  EXPECT_EQ(read(but("TORCHELASTIC_RESTART_COUNT", "2")).attempt, "2");
}

TEST(ClusterOptions, NamesTheWrongVariable) {
  EXPECT_THAT(complaint_about(but("RANK", "3")), AllOf(HasSubstr("RANK"), HasSubstr("0 to 2"), HasSubstr("\"3\"")));
  EXPECT_THAT(complaint_about(but("RANK", "first")), AllOf(HasSubstr("RANK"), HasSubstr("\"first\"")));
  EXPECT_THAT(complaint_about(but("WORLD_SIZE", "0")), AllOf(HasSubstr("WORLD_SIZE"), HasSubstr("\"0\"")));
  EXPECT_THAT(complaint_about(but("MASTER_PORT", "70000")), AllOf(HasSubstr("MASTER_PORT"), HasSubstr("65535")));
  EXPECT_THAT(complaint_about(but("MASTER_ADDR", "")), HasSubstr("MASTER_ADDR: expected a value"));
  EXPECT_THAT(complaint_about(but("GUMPTION_TIMEOUT", "soon")), HasSubstr("GUMPTION_TIMEOUT"));
  EXPECT_THAT(complaint_about(without("RANK")), HasSubstr("RANK: expected a value"));
  EXPECT_THAT(complaint_about(without("WORLD_SIZE")), HasSubstr("WORLD_SIZE: expected how many"));
  EXPECT_THAT(complaint_about(without("MASTER_PORT")), HasSubstr("MASTER_PORT: expected a value"));
}

}  // namespace
}  // namespace gumption
