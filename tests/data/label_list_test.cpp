#include "gumption/data/label_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data_support.h"
#include "support/support.h"

namespace gumption {
namespace {

using test::user_error_of;
using testing::ElementsAre;
using testing::HasSubstr;

class LabelList : public testing::Test {
 protected:
  std::vector<Question> read(const std::string& labels, int rows) {
    std::string text;
    for (int i = 0; i < rows; ++i) {
      text += R"({"context":"c","question":"q","answerA":"a","answerB":"b","answerC":"c"})"
              "\n";
    }
    folder_.write("dev-labels.lst", labels);
    return test::read_questions(folder_.write("dev.jsonl", text));
  }

  test::TemporaryFolder folder_;
};

TEST_F(LabelList, StandsBesideTheQuestions) {
  EXPECT_EQ(label_list_beside("a/dev.jsonl"), "a/dev-labels.lst");
  EXPECT_EQ(label_list_beside("dev.jsonl.gz"), "dev-labels.lst");
  EXPECT_EQ(label_list_beside("valid.csv"), "valid-labels.lst");
}

TEST_F(LabelList, ReadsLabels) {
  EXPECT_THAT(read_label_list(folder_.write("l", "1\r\n3\n2\n\n"), 1), ElementsAre(0, 2, 1));
  EXPECT_THAT(read_label_list(folder_.write("l", "0\n3"), 0), ElementsAre(0, 3));
}

TEST_F(LabelList, SaysWhichLineIsNoLabel) {
  EXPECT_THAT(user_error_of([&] { read("1\nB\n", 2); }),
              HasSubstr("dev-labels.lst:2: expected a whole number from 1, found \"B\""));
  EXPECT_THAT(user_error_of([&] { read("1\n0\n", 2); }), HasSubstr("dev-labels.lst:2"));
  EXPECT_THAT(user_error_of([&] { read("1\n\n2\n", 2); }),
              HasSubstr("dev-labels.lst:2: expected a label, found an empty line"));
  EXPECT_THAT(user_error_of([&] { read("1\n4\n", 2); }),
              HasSubstr("dev-labels.lst:2: expected a label from 1 to 3, found 4"));
}

TEST_F(LabelList, MustBeAsLongAsTheQuestions) {
  EXPECT_THAT(user_error_of([&] { read("1\n2\n", 3); }), HasSubstr("expected a label for question 3"));
  EXPECT_THAT(user_error_of([&] { read("1\n2\n3\n1\n", 3); }), HasSubstr("expected 3 labels, one for each question"));
  EXPECT_EQ(read("1\n2\n3\n", 3).size(), 3U);
}

TEST_F(LabelList, MustAgreeWithLabelsInTheRows) {
  folder_.write("v-labels.lst", "1\n");
  const auto path = folder_.write(
      "v.jsonl",
      R"({"id":"1","context":"c","question":"q","answer0":"a","answer1":"b","answer2":"c","answer3":"d","label":"2"})");
  EXPECT_THAT(user_error_of([&] { test::read_questions(path); }), HasSubstr("v-labels.lst:1"));
}

}  // namespace
}  // namespace gumption
