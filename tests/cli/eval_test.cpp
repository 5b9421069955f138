#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/shell.h"
#include "support/support.h"

namespace gumption {
namespace {

using test::gumption;
using testing::HasSubstr;

class Eval : public testing::Test {
 protected:
  Eval() {
    path_ = folder_
                .write("q.jsonl", R"({"id":"a","choices":["x","long"],"label":0,"notes":{"category":"k"}})"
                                  "\n"
                                  R"({"id":"b","choices":["x","long"],"label":1,"notes":{"category":"k"}})"
                                  "\n"
                                  R"({"id":"c","choices":["same","size"],"label":0,"notes":{"category":"m"}})"
                                  "\n"
                                  R"({"id":"d","choices":["x","long"],"label":1,"notes":{"asks_for":"cause"}})"
                                  "\n")
                .string();
  }

  test::TemporaryFolder folder_;
  std::string path_;
};

TEST_F(Eval, PrintsTheContractsKeys) {
  const auto result = gumption({"eval", "--system", "longest", "--data", path_, "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["accuracy"], 0.75);
  EXPECT_EQ(json["n"], 4);
  EXPECT_EQ(json["ties"], 1);
  // Wilson for 3 of 4: centre (.75 + z²/8)/(1 + z²/4), half-width z·sqrt(.75·.25/4 + z²/64)/(1 + z²/4), z² = 3.8415.
  EXPECT_NEAR(json["low"], 0.3006, 5e-5);
  EXPECT_NEAR(json["high"], 0.9544, 5e-5);
  EXPECT_EQ(json["by"]["category"]["k"]["accuracy"], 0.5);
  EXPECT_EQ(json["by"]["asks_for"]["cause"]["n"], 1);
}

TEST_F(Eval, ListsWhatWasWrongAndTakesALimit) {
  const auto result = gumption({"eval", "--system", "longest", "--data", path_, "--json", "--wrong", "--limit", "2"});
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["n"], 2);
  ASSERT_EQ(json["wrong"].size(), 1U);
  EXPECT_EQ(json["wrong"][0]["id"], "a");
  EXPECT_EQ(json["wrong"][0]["choice"], 1);
  EXPECT_THAT(gumption({"eval", "--system", "longest", "--data", path_, "--wrong"}).out, HasSubstr("✗ 1. long"));
}

TEST_F(Eval, BatchesChangeNothing) {
  const std::vector<std::string> base = {"score", "--system", "random", "--seed", "3", "--data", path_, "--batch"};
  auto one = base;
  one.push_back("1");
  auto many = base;
  many.push_back("100");
  EXPECT_EQ(gumption(one).out, gumption(many).out);
}

// Longest has 3 of 4 (wrong on a), the file 2 of 4 (wrong on b and d): the exact p of two against one is 1.
TEST_F(Eval, AgainstAddsThePairedTestsKeys) {
  const auto other = folder_.write("first.txt", "a 1 0\nb 1 0\nc 1 0\nd 1 0\n").string();
  const auto json = nlohmann::json::parse(
      gumption({"eval", "--system", "longest", "--data", path_, "--against", other, "--json"}).out);
  EXPECT_EQ(json["accuracy"], 0.75);
  EXPECT_EQ(json["accuracy_a"], 0.75);
  EXPECT_EQ(json["accuracy_b"], 0.5);
  EXPECT_EQ(json["difference"], 0.25);
  EXPECT_LE(json["difference_low"], 0.25);
  EXPECT_GE(json["difference_high"], 0.25);
  EXPECT_NEAR(json["p_mcnemar"], 1.0, 1e-12);
  EXPECT_EQ(json["p_randomisation"], 1.0);
  EXPECT_NEAR(json["low"], 0.3006, 5e-5);
  EXPECT_THAT(gumption({"eval", "--system", "longest", "--data", path_, "--against", other}).out, HasSubstr("+25.0"));
  const auto some = gumption({"eval", "--system", "longest", "--data", path_, "--against", other, "--limit", "2"});
  EXPECT_EQ(some.exit_code, 0) << some.err;
}

TEST_F(Eval, AgainstNeedsTheSameQuestions) {
  const auto other = folder_.write("few.txt", "a 1 0\nb 1 0\n").string();
  const auto result = gumption({"eval", "--system", "longest", "--data", path_, "--against", other});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("found none to 2 of them, the first \"c\""));
}

TEST_F(Eval, NeedsLabels) {
  const auto path = folder_.write("blind.jsonl", R"({"choices":["x","y"]})").string();
  const auto result = gumption({"eval", "--system", "first", "--data", path});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("expected questions with labels, found none"));
  EXPECT_THAT(result.err, HasSubstr("questions has a label"));
}

TEST_F(Eval, ScoresAreJsonLines) {
  const auto result = gumption({"score", "--system", "longest", "--data", path_});
  std::istringstream lines(result.out);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, R"({"id":"a","scores":[1.0,4.0],"choice":1,"label":0})");
  EXPECT_EQ(gumption({"score", "--system", "first", "--data", path_, "--as", "copa-responses"}).out,
            "a 1 0\nb 1 0\nc 1 0\nd 1 0\n");
}

// "Always first" on COPA's development set: 250 of 500 items have most-plausible-alternative="1" (grep -c).
TEST(EvalOnRealData, FirstOnCopa) {
  GUMPTION_NEEDS_SHARED(path, "data/copa/copa-dev.xml");
  const auto json =
      nlohmann::json::parse(gumption({"eval", "--system", "first", "--data", path.string(), "--json"}).out);
  EXPECT_EQ(json["accuracy"], 0.5);
  EXPECT_EQ(json["n"], 500);
}

// The authors' own "always first" responses for the same set.
TEST(EvalOnRealData, ResponsesAreTheAuthorsBytes) {
  GUMPTION_NEEDS_SHARED(path, "data/copa/copa-dev.xml");
  GUMPTION_NEEDS_SHARED(first, "data/copa/baselineFirst.dev");
  GUMPTION_NEEDS_SHARED(gold, "data/copa/gold.dev");
  EXPECT_EQ(gumption({"score", "--system", "first", "--data", path.string(), "--as", "copa-responses"}).out,
            test::read_bytes(first));
  EXPECT_EQ(gumption({"data", "convert", path.string(), "--to", "copa-responses", "--quiet"}).out,
            test::read_bytes(gold));
}

}  // namespace
}  // namespace gumption
