#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/shell.h"
#include "support/support.h"

namespace gumption {
namespace {

using test::gumption;
using testing::HasSubstr;
using testing::Not;

nlohmann::json json_of(std::vector<std::string> arguments) {
  arguments.push_back("--json");
  const auto result = gumption(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return nlohmann::json::parse(result.out);
}

class Measure : public testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) { return folder_.write(name, text).string(); }

  /// Responses to questions with the ids 1 to n: the first `right` choose 0, the others 1.
  std::string responses(const std::string& name, int right, int n) {
    std::string text;
    for (int id = 1; id <= n; ++id) text += std::to_string(id) + (id <= right ? " 1 0\n" : " 0 1\n");
    return file(name, text);
  }

  test::TemporaryFolder folder_;
};

// A has ten of ten, B four: six questions differ, all one way, and the exact p is 2/2^6.
TEST_F(Measure, ComparePrintsTheContractsKeys) {
  const auto gold = responses("gold", 10, 10);
  const auto json = json_of({"measure", "compare", responses("a", 10, 10), responses("b", 4, 10), "--gold", gold});
  EXPECT_EQ(json["n"], 10);
  EXPECT_EQ(json["accuracy_a"], 1.0);
  EXPECT_EQ(json["accuracy_b"], 0.4);
  EXPECT_DOUBLE_EQ(json["difference"], 0.6);
  EXPECT_LE(json["low"], 0.4);
  EXPECT_GE(json["high"], 0.8);
  EXPECT_NEAR(json["p_mcnemar"], 2.0 / 64, 1e-12);
  EXPECT_NEAR(json["p_randomisation"], 2.0 / 64, 0.009);
  EXPECT_NEAR(json["p_chance_a"], 2.0 / 1024, 1e-12);
  EXPECT_EQ(json["ties_a"], 0);
}

TEST_F(Measure, CompareIsRepeatableAndFollowsItsSeed) {
  const std::vector<std::string> base = {
      "measure", "compare", responses("a", 30, 50), responses("b", 22, 50), "--gold", responses("gold", 50, 50),
      "--seed"};
  auto one = base;
  one.push_back("1");
  auto other = base;
  other.push_back("2");
  EXPECT_EQ(json_of(one), json_of(one));
  EXPECT_NE(json_of(one)["p_randomisation"], json_of(other)["p_randomisation"]);
}

TEST_F(Measure, CompareTakesSeveralAndCorrectsByHolm) {
  const auto gold = responses("gold", 20, 20);
  const auto a = responses("a", 20, 20);
  const auto b = responses("b", 10, 20);
  const auto c = responses("c", 14, 20);
  const auto json = json_of({"measure", "compare", a, b, c, "--gold", gold});
  ASSERT_EQ(json["comparisons"].size(), 2U);
  EXPECT_EQ(json["accuracy_a"], 1.0);
  EXPECT_EQ(json["comparisons"][1]["b"], c);
  EXPECT_NEAR(json["comparisons"][0]["p_mcnemar_holm"], 2 * 2.0 / 1024, 1e-12);
  EXPECT_NEAR(json["comparisons"][1]["p_mcnemar_holm"], 2.0 / 64, 1e-12);
  const auto alone = json_of({"measure", "compare", a, c, "--gold", gold});
  EXPECT_EQ(alone["p_randomisation"], json["comparisons"][1]["p_randomisation"]);
  EXPECT_THAT(gumption({"measure", "compare", a, b, c, "--gold", gold}).out, HasSubstr("Holm"));
}

TEST_F(Measure, CompareTakesLabelsFromQuestionsOrTheFirstFile) {
  const auto questions = file("q.jsonl", R"({"id":"a","choices":["x","long"],"label":0})"
                                         "\n"
                                         R"({"id":"b","choices":["same","size"],"label":0})"
                                         "\n"
                                         R"({"id":"c","choices":["x","y"]})");
  const auto longest = (folder_ / "longest.jsonl").string();
  ASSERT_EQ(gumption({"score", "--system", "longest", "--data", questions, "--out", longest}).exit_code, 0);
  const auto first =
      file("first.txt", gumption({"score", "--system", "first", "--data", questions, "--as", "copa-responses"}).out);
  const auto by_questions = json_of({"measure", "compare", longest, first, "--gold", questions});
  EXPECT_EQ(by_questions["accuracy_a"], 0.5);
  EXPECT_EQ(by_questions["accuracy_b"], 1.0);
  EXPECT_EQ(by_questions["n"], 2);
  EXPECT_EQ(by_questions["unlabelled"], 1);
  EXPECT_EQ(by_questions["ties_a"], 1);
  EXPECT_EQ(json_of({"measure", "compare", longest, first})["accuracy_a"], 0.5);
  EXPECT_EQ(json_of({"measure", "compare", longest, first, "--gold", questions, "--limit", "1"})["n"], 1);
}

TEST_F(Measure, CompareSaysWhatIsWrong) {
  const auto gold = responses("gold", 5, 5);
  const auto a = responses("a", 5, 5);
  const auto few = gumption({"measure", "compare", a, responses("few", 4, 4), "--gold", gold});
  EXPECT_EQ(few.exit_code, 1);
  EXPECT_THAT(few.err, HasSubstr("found none to 1 of them, the first \"5\""));
  const auto many = gumption({"measure", "compare", a, responses("many", 6, 6), "--gold", gold});
  EXPECT_EQ(many.exit_code, 1);
  EXPECT_THAT(many.err, HasSubstr("many:6: expected ids of"));
  EXPECT_EQ(gumption({"measure", "compare", a, "--gold", gold}).exit_code, 2);
  EXPECT_EQ(gumption({"measure", "compare", a, a}).exit_code, 2);
  EXPECT_EQ(gumption({"measure", "compare", a, folder_.path().string() + "/none", "--gold", gold}).exit_code, 1);
}

TEST_F(Measure, IdenticalSystemsGetNoStars) {
  const auto a = responses("a", 25, 50);
  const auto result = gumption({"measure", "compare", a, a, "--gold", responses("gold", 50, 50)});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, HasSubstr("1.0000"));
  EXPECT_THAT(result.out, Not(HasSubstr("*")));
}

// Two raters agree on three of four; see tests/measure for the arithmetic.
TEST_F(Measure, AgreementPrintsTheContractsKeys) {
  const auto path = file("r.csv", "rater,item,label\nA,1,x\nA,2,x\nA,3,y\nA,4,y\nB,1,x\nB,2,x\nB,3,y\nB,4,x\nC,9,x\n");
  const auto json = json_of({"measure", "agreement", path});
  EXPECT_NEAR(json["cohen"], 0.5, 1e-12);
  EXPECT_NEAR(json["krippendorff"], 1 - 7 * 2.0 / 30, 1e-12);
  EXPECT_TRUE(json["fleiss"].is_number());
  EXPECT_EQ(json["raters"], 3);
  EXPECT_EQ(json["missing"], 3 * 5 - 9);
  EXPECT_EQ(json["pairs"].size(), 1U);
  EXPECT_THAT(gumption({"measure", "agreement", path, "--pairs"}).out, HasSubstr("A, B"));
}

TEST_F(Measure, AgreementWithoutAValueIsNull) {
  const auto path = file("r.csv", "rater,item,label\nA,1,x\nB,1,x\n");
  EXPECT_TRUE(json_of({"measure", "agreement", path})["cohen"].is_null());
  EXPECT_THAT(gumption({"measure", "agreement", path}).out, HasSubstr("undefined"));
}

TEST_F(Measure, EffectPrintsTheContractsKeys) {
  const auto path = file("e.csv", "group,value\nx,2\ny,0\nx,4\nx,6\nx,8\ny,2\ny,4\ny,6\n");
  const auto json = json_of({"measure", "effect", path});
  EXPECT_NEAR(json["cohen_d"], 0.774597, 1e-6);
  EXPECT_NEAR(json["low"], -0.662340, 1e-5);
  EXPECT_NEAR(json["high"], 2.211534, 1e-5);
  EXPECT_EQ(json["groups"][0]["group"], "x");
  EXPECT_THAT(gumption({"measure", "effect", path}).out, HasSubstr("Cohen's d 0.775"));
  const auto bad = gumption({"measure", "effect", file("bad.csv", "group,value\nx,?\n")});
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_THAT(bad.err, HasSubstr("bad.csv:2: expected a number as value"));
}

// COPA's authors' own files: 289 and 250 of 500 right, 145 and 106 of them alone. The exact two-sided p is .0163.
TEST(MeasureOnRealData, CopasOwnComparison) {
  GUMPTION_NEEDS_SHARED(pmi, "data/copa/PMIgutenbergW5.dev");
  GUMPTION_NEEDS_SHARED(first, "data/copa/baselineFirst.dev");
  GUMPTION_NEEDS_SHARED(gold, "data/copa/gold.dev");
  const std::vector<std::string> command = {"measure",      "compare", pmi.string(),
                                            first.string(), "--gold",  gold.string()};
  EXPECT_THAT(gumption(command).out, HasSubstr("57.8%"));
  for (const char* seed : {"1", "2", "3"}) {
    auto seeded = command;
    seeded.insert(seeded.end(), {"--seed", seed});
    const auto json = json_of(seeded);
    EXPECT_EQ(json["accuracy_a"], 0.578);
    EXPECT_GT(json["p_randomisation"], 0.012);
    EXPECT_LT(json["p_randomisation"], 0.021);
    EXPECT_NEAR(json["p_mcnemar"], 0.0163, 5e-5);
  }
  GUMPTION_NEEDS_SHARED(questions, "data/copa/copa-dev.xml");
  EXPECT_EQ(json_of({"measure", "compare", pmi.string(), first.string(), "--gold", questions.string()})["p_mcnemar"],
            json_of(command)["p_mcnemar"]);
}

// The system `first` against its authors' file is the system against itself.
TEST(MeasureOnRealData, EvalAgainstAFile) {
  GUMPTION_NEEDS_SHARED(first, "data/copa/baselineFirst.dev");
  GUMPTION_NEEDS_SHARED(questions, "data/copa/copa-dev.xml");
  const auto json = json_of({"eval", "--system", "first", "--data", questions.string(), "--against", first.string()});
  EXPECT_EQ(json["difference"], 0.0);
  EXPECT_EQ(json["p_randomisation"], 1.0);
}

}  // namespace
}  // namespace gumption
