#include "gumption/measure/score_file.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gumption/base/error.h"

#include "support/support.h"

namespace gumption {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ScoreFile answers_of(const std::string& text, const std::string& name = "f") {
  return read_score_file(open_memory(text, name));
}

template <class Action>
std::string complaint_of(Action action) {
  try {
    action();
  } catch (const UserError& error) {
    return error.what();
  }
  return "no complaint";
}

std::string reading_complaint(const std::string& text) {
  return complaint_of([&] { answers_of(text); });
}

constexpr const char* kScores = R"({"id":"a","scores":[1.0,4.0],"choice":1,"label":0})"
                                "\n\n"
                                R"({"id":7,"scores":[2,2,1],"choice":0})"
                                "\n"
                                R"({"scores":[-1e3,2,1],"label":null})"
                                "\n";

TEST(ScoreFile, ReadsScores) {
  const ScoreFile file = answers_of(kScores);
  EXPECT_TRUE(file.has_scores);
  ASSERT_EQ(file.answers.size(), 3U);
  EXPECT_EQ(file.answers[0].id, "a");
  EXPECT_EQ(file.answers[0].choice, 1);
  EXPECT_EQ(file.answers[0].label, 0);
  EXPECT_EQ(file.answers[1].id, "7");
  EXPECT_TRUE(file.answers[1].tie);
  EXPECT_EQ(file.answers[1].choices, 3U);
  EXPECT_EQ(file.answers[1].line, 3U);
  EXPECT_EQ(file.answers[2].id, "3");
  EXPECT_EQ(file.answers[2].choice, 1);
  EXPECT_FALSE(file.answers[2].label);
}

TEST(ScoreFile, ReadsResponsesOfAnyNumberOfChoices) {
  const ScoreFile file = answers_of("\n1 0 1\r\nq-2\t1\t0\t0\n  3  0 0 0 1  \n");
  EXPECT_FALSE(file.has_scores);
  ASSERT_EQ(file.answers.size(), 3U);
  EXPECT_EQ(file.answers[0].choice, 1);
  EXPECT_EQ(file.answers[1].id, "q-2");
  EXPECT_EQ(file.answers[1].choices, 3U);
  EXPECT_EQ(file.answers[2].choice, 3);
  EXPECT_FALSE(file.answers[2].tie);
}

TEST(ScoreFile, AChoiceAmongTheHighestStands) {
  EXPECT_EQ(answers_of(R"({"id":"a","scores":[3,1,3],"choice":2})").answers[0].choice, 2);
}

TEST(ScoreFile, SaysWhatIsWrong) {
  EXPECT_THAT(reading_complaint("1 0 1\n1 1 0\n"),
              HasSubstr("f:2: expected an id of its own for each row, found \"1\""));
  EXPECT_THAT(reading_complaint("1 0 1\n2 1 1\n"), HasSubstr("f:2: expected an id with a 0 for each choice and a 1"));
  EXPECT_THAT(reading_complaint("1 0 1\n2 0 0\n"), HasSubstr("f:2: expected an id"));
  EXPECT_THAT(reading_complaint("1 1\n"), HasSubstr("f:1: expected a row of scores in JSON, or an id"));
  EXPECT_THAT(reading_complaint("<copa-corpus>"), HasSubstr("f:1: expected a row of scores in JSON, or an id"));
  EXPECT_THAT(reading_complaint("\n"), HasSubstr("expected answers, found an empty file"));
  EXPECT_THAT(reading_complaint(R"({"id":"a","scores":[1,2)"), HasSubstr("f:1: expected a row of scores in JSON"));
  EXPECT_THAT(reading_complaint(R"({"id":"a","scores":[1]})"), HasSubstr("two or more \"scores\", found one"));
  EXPECT_THAT(reading_complaint(R"({"id":"a","scores":[1,null]})"), HasSubstr("numbers in \"scores\", found null"));
  EXPECT_THAT(reading_complaint(R"({"id":"a","scores":"1"})"), HasSubstr("a list as \"scores\", found text"));
  EXPECT_THAT(reading_complaint(R"({"id":["a"],"scores":[1,2]})"), HasSubstr("text as \"id\", found a list"));
  EXPECT_THAT(reading_complaint(R"({"id":"a","scores":[1,2],"choice":2})"), HasSubstr("one of 2 choices"));
  EXPECT_THAT(reading_complaint(R"({"id":"a","scores":[1,2],"label":-1})"), HasSubstr("found -1"));
  EXPECT_THAT(reading_complaint(R"({"id":"a","scores":[1,2],"choice":0})"),
              HasSubstr("the choice with the highest score, 1, found 0"));
  EXPECT_THAT(reading_complaint(R"({"id":"a","scores":[1,2],"choice":1.5})"),
              HasSubstr("a whole number as \"choice\""));
}

class GoldFile : public testing::Test {
 protected:
  Gold gold_of_text(const std::string& text) { return read_gold(folder_.write("gold", text)); }
  test::TemporaryFolder folder_;
};

TEST_F(GoldFile, ComesFromResponses) {
  const Gold gold = gold_of_text("1 0 1\n2 1 0\n");
  ASSERT_EQ(gold.questions.size(), 2U);
  EXPECT_EQ(gold.questions[0].label, 1);
  EXPECT_DOUBLE_EQ(gold.chance(), 0.5);
  EXPECT_FALSE(gold.source);
}

TEST_F(GoldFile, ComesFromAScoreFilesLabels) {
  const Gold gold = gold_of_text(kScores);
  EXPECT_EQ(gold.questions.size(), 3U);
  EXPECT_EQ(gold.labelled(), 1U);
  EXPECT_EQ(gold.questions[0].label, 0);
  EXPECT_THAT(complaint_of([&] { gold_of_text(R"({"id":"a","scores":[1,2],"choice":1})"); }),
              HasSubstr("expected labels, found none"));
}

TEST_F(GoldFile, ComesFromQuestions) {
  const Gold gold = gold_of_text(R"({"id":"a","choices":["x","y"],"label":1})"
                                 "\n"
                                 R"({"id":"b","choices":["x","y","z","w"],"label":0})"
                                 "\n"
                                 R"({"id":"c","choices":["x","y"]})"
                                 "\n");
  EXPECT_EQ(gold.questions.size(), 3U);
  EXPECT_EQ(gold.labelled(), 2U);
  EXPECT_DOUBLE_EQ(gold.chance(), (1 / 2.0 + 1 / 4.0) / 2);
  ASSERT_TRUE(gold.source);
  EXPECT_EQ(gold.source->format, "native");
  EXPECT_THAT(complaint_of([&] {
                gold_of_text(R"({"id":"a","choices":["x","y"],"label":1})"
                             "\n"
                             R"({"id":"a","choices":["x","y"],"label":1})");
              }),
              HasSubstr("expected an id of its own for each question, found \"a\" twice"));
}

class Marking : public GoldFile {
 protected:
  std::string marking_complaint(const std::string& answers) {
    return complaint_of([&] { mark(answers_of(answers), gold_); });
  }
  Gold gold_ = gold_of_text("1 1 0\n2 0 1\n3 1 0\n");
};

TEST_F(Marking, GoesByIdAndNotByOrder) {
  const Marks marks = mark(answers_of("3 0 1\n1 1 0\n2 0 1\n"), gold_);
  EXPECT_THAT(marks.right, ElementsAre(true, true, false));
  EXPECT_EQ(marks.correct(), 2U);
}

TEST_F(Marking, CountsTies) {
  const std::string rows = R"({"id":"1","scores":[0,0]})"
                           "\n"
                           R"({"id":"2","scores":[0,0]})"
                           "\n"
                           R"({"id":"3","scores":[0,1]})";
  const Marks marks = mark(answers_of(rows), gold_);
  EXPECT_THAT(marks.right, ElementsAre(true, false, false));
  EXPECT_EQ(marks.ties, 2U);
}

TEST_F(Marking, SaysWhatDoesNotMatch) {
  EXPECT_THAT(marking_complaint("1 1 0\n"), HasSubstr("f: expected an answer to each of the 3 questions of"));
  EXPECT_THAT(marking_complaint("1 1 0\n"), HasSubstr("found none to 2 of them, the first \"2\""));
  EXPECT_THAT(marking_complaint("1 1 0\n2 1 0\n3 1 0\n4 1 0\n"), HasSubstr("f:4: expected ids of"));
  EXPECT_THAT(marking_complaint("1 1 0 0\n2 1 0\n3 1 0\n"), HasSubstr("f:1: expected 2 choices, as"));
  EXPECT_THAT(marking_complaint(R"({"id":"1","scores":[0,1],"label":1})"), HasSubstr("expected the label 0, as"));
  EXPECT_EQ(mark(answers_of("1 1 0\n2 1 0\n3 1 0\n4 1 0\n"), gold_, Extras::kIgnored).correct(), 2U);
}

TEST_F(Marking, LeavesOutQuestionsWithoutALabel) {
  const Gold gold = gold_of_text(R"({"id":"1","choices":["x","y"],"label":1})"
                                 "\n"
                                 R"({"id":"2","choices":["x","y"]})");
  EXPECT_THAT(mark(answers_of("1 0 1\n2 1 0\n"), gold).right, ElementsAre(true));
}

}  // namespace
}  // namespace gumption
