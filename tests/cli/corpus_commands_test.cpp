#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/shell.h"
#include "support/support.h"

namespace gumption {
namespace {

using test::gumption;
using testing::HasSubstr;
using Json = nlohmann::json;

TEST(CorpusCommands, BuildInfoAndCount) {
  const test::TemporaryFolder folder;
  const std::string text = folder.write("t.txt", "Ice melted. The ice, the ICE melted!");
  const std::string index = folder / "t.counts";
  const auto built = gumption({"corpus", "build", text, "--out", index, "--windows", "1,2,10", "--json"});
  ASSERT_EQ(built.exit_code, 0) << built.err;
  EXPECT_EQ(Json::parse(built.out)["words"], 3);
  const Json expected = {{"1", 2}, {"2", 2}, {"10", 4}};
  for (const std::string& corpus : {index, text}) {
    const auto counted = gumption({"corpus", "count", corpus, "ICE", "melted", "--windows", "1,2,10", "--json"});
    ASSERT_EQ(counted.exit_code, 0) << counted.err;
    const Json json = Json::parse(counted.out);
    EXPECT_EQ(json["x"], "ice");
    EXPECT_EQ(json["y"], "melted");
    for (const auto& [window, count] : expected.items()) EXPECT_EQ(json[window], count) << corpus << " " << window;
  }
  const Json info = Json::parse(gumption({"corpus", "info", index, "--check", "--json"}).out);
  EXPECT_EQ(info["documents"], 1);
  EXPECT_EQ(info["windows"], Json({1, 2, 10}));
  EXPECT_EQ(info["sources"][0]["path"], text);
}

TEST(CorpusCommands, StandardInput) {
  const test::TemporaryFolder folder;
  const std::string index = folder / "i";
  const test::RunOptions input = {"rain fell\n\nrain froze", {}, ""};
  ASSERT_EQ(gumption({"corpus", "build", "-", "--out", index, "--documents", "blank-line"}, input).exit_code, 0);
  EXPECT_EQ(Json::parse(gumption({"corpus", "count", index, "rain", "rain", "--json"}).out)["50"], 0);
  EXPECT_EQ(Json::parse(gumption({"corpus", "count", "-", "rain", "rain", "--json"}, input).out)["5"], 1);
}

TEST(CorpusCommands, MistakesAreSaid) {
  const test::TemporaryFolder folder;
  const std::string text = folder.write("t.txt", "ice");
  const auto no_out = gumption({"corpus", "build", text});
  EXPECT_EQ(no_out.exit_code, 2);
  const auto missing = gumption({"corpus", "build", folder / "no.txt", "--out", folder / "i"});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_THAT(missing.err, HasSubstr("no.txt: expected a file"));
  const auto windows = gumption({"corpus", "build", text, "--out", folder / "i", "--windows", "5,x"});
  EXPECT_EQ(windows.exit_code, 1);
  EXPECT_THAT(gumption({"corpus", "count", text, "two words", "x"}).err, HasSubstr("Expected one word"));
  EXPECT_THAT(gumption({"corpus", "info", text}).err, HasSubstr("expected a count index of gumption, found another"));
  EXPECT_FALSE(std::filesystem::exists(folder / "i"));
}

TEST(CorpusCommands, SystemsTakeACorpus) {
  const test::TemporaryFolder folder;
  const std::string text = folder.write("t.txt", "Ice melted. Ice melted. Sun rose.");
  const std::string data =
      folder.write("q.jsonl", R"({"id":"a","context":"The sun","choices":["It melted.","It rose."],"label":1})"
                              "\n");
  const auto result = gumption({"eval", "--system", "dice", "--corpus", text, "--data", data, "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(Json::parse(result.out)["accuracy"], 1);
  EXPECT_EQ(gumption({"eval", "--system", "pmi", "--data", data}).exit_code, 2);
}

}  // namespace
}  // namespace gumption
