// From text to answers: an index, and the systems that ask it.

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/shell.h"
#include "support/support.h"

namespace gumption::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class CorpusIndex : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  test::RunResult index(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"corpus", "index", path("text"), "--out", path("index"), "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return test::gumption(arguments);
  }

  test::TemporaryFolder folder_;
};

TEST_F(CorpusIndex, ServesTheSystems) {
  folder_.write("text/a", "rain made the street wet\nmusic in the street\n");
  folder_.write("text/b", "music\n");
  folder_.write("questions.jsonl", R"({"context":"Rain.","choices":["music","wet"],"label":1})"
                                   "\n");
  const auto made = index({"--documents", "line"});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const auto summary = nlohmann::json::parse(made.out);
  EXPECT_EQ(summary["files"], 2);
  EXPECT_EQ(summary["documents"], 3);
  EXPECT_EQ(summary["words"], 10);
  EXPECT_FALSE(fs::exists(path("index.partial")));
  for (const char* system : {"hits-pair", "hits-phrase"}) {
    const auto result = test::gumption(
        {"eval", "--system", system, "--set", "index=" + path("index"), "--data", path("questions.jsonl"), "--json"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(nlohmann::json::parse(result.out)["accuracy"], 1.0) << system;
  }
}

TEST_F(CorpusIndex, BadInputEndsInOneMessageAndNoIndex) {
  EXPECT_EQ(index().exit_code, 1);
  folder_.write("text/a", "fine\n");
  folder_.write("text/b", std::string_view("\x7f\0ELF", 5));
  const auto binary = index();
  EXPECT_EQ(binary.exit_code, 1);
  EXPECT_THAT(binary.err, HasSubstr("b:1: expected text, found a zero byte"));
  EXPECT_FALSE(fs::exists(path("index")));
  EXPECT_FALSE(fs::exists(path("index.partial")));
  EXPECT_EQ(test::gumption({"corpus", "index", path("text")}).exit_code, 2);
}

TEST_F(CorpusIndex, SystemsWithoutASourceSaySo) {
  folder_.write("questions.jsonl", R"({"context":"Rain.","choices":["music","wet"],"label":1})"
                                   "\n");
  const auto result = test::gumption({"eval", "--system", "hits-pair", "--data", path("questions.jsonl")});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("--set index=DIR"));
}

}  // namespace
}  // namespace gumption::cli
