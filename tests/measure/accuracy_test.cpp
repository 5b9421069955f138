#include "gumption/measure/accuracy.h"

#include <gtest/gtest.h>

namespace gumption {
namespace {

Question question_of(const std::string& category, std::optional<int> label) {
  Question question;
  question.choices = {"a", "b"};
  question.label = label;
  question.notes.category = category;
  return question;
}

TEST(Accuracy, CountsInAllAndByNote) {
  AccuracyTally tally;
  tally.add(question_of("x", 0), make_answer("1", {2, 1}));
  tally.add(question_of("x", 1), make_answer("2", {2, 1}));
  tally.add(question_of("y", 0), make_answer("3", {1, 1}));
  tally.add(question_of("y", std::nullopt), make_answer("4", {1, 0}));
  EXPECT_EQ(tally.all().n, 3U);
  EXPECT_EQ(tally.all().correct, 2U);
  EXPECT_EQ(tally.all().ties, 1U);
  EXPECT_EQ(tally.unlabelled(), 1U);
  EXPECT_EQ(tally.by().at("category").at("x").correct, 1U);
  EXPECT_EQ(tally.by().at("category").at("y").n, 1U);
  EXPECT_FALSE(tally.by().contains("question_type"));
}

TEST(Accuracy, TiesGoToTheLowestIndex) {
  const Answer answer = make_answer("q", {1, 3, 3, 2});
  EXPECT_EQ(answer.choice, 1);
  EXPECT_TRUE(answer.tie);
  EXPECT_FALSE(make_answer("q", {1, 3, 2}).tie);
}

TEST(Accuracy, HasWilsonsInterval) {
  Accuracy accuracy;
  accuracy.n = 10;
  accuracy.correct = 8;
  EXPECT_DOUBLE_EQ(accuracy.share(), 0.8);
  EXPECT_NEAR(accuracy.interval().low, 0.4902, 5e-5);
  EXPECT_NEAR(accuracy.interval().high, 0.9433, 5e-5);
  EXPECT_EQ(Accuracy{}.share(), 0);
}

}  // namespace
}  // namespace gumption
