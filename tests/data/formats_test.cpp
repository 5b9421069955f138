// Each format on a tiny file written to its description; the expected questions can be read off the text.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data_support.h"
#include "support/support.h"

namespace gumption {
namespace {

using test::read_questions;
using testing::ElementsAre;
using testing::IsEmpty;

class Formats : public testing::Test {
 protected:
  test::TemporaryFolder folder_;

  /// Reads a text whose format must be told by content.
  std::vector<Question> read(const std::string& name, const std::string& text, const std::string& expected_format) {
    const auto path = folder_.write(name, text);
    EXPECT_EQ(open_questions(path).format->name, expected_format);
    return read_questions(path);
  }
};

TEST_F(Formats, Native) {
  const auto questions =
      read("q.jsonl",
           R"({"id":"a","context":"C.","question":"Q?","choices":["x","y","z"],"label":2,)"
           R"("notes":{"category":"k","asks_for":"cause","choice_kinds":["p","q","r"],"mood":[1,true]}})"
           "\n\n"
           R"({"choices":["only","these"]})",
           "native");
  ASSERT_EQ(questions.size(), 2U);
  EXPECT_EQ(questions[0].id, "a");
  EXPECT_EQ(questions[0].context, "C.");
  EXPECT_EQ(questions[0].question, "Q?");
  EXPECT_THAT(questions[0].choices, ElementsAre("x", "y", "z"));
  EXPECT_EQ(questions[0].label, 2);
  EXPECT_EQ(questions[0].notes.category, "k");
  EXPECT_EQ(questions[0].notes.asks_for, AsksFor::kCause);
  EXPECT_THAT(questions[0].notes.choice_kinds, ElementsAre("p", "q", "r"));
  EXPECT_EQ(questions[0].notes.other.at("mood"), "[1,true]");
  EXPECT_EQ(questions[1].id, "2");
  EXPECT_EQ(questions[1].label, std::nullopt);
}

TEST_F(Formats, CopaXml) {
  const auto questions = read("copa.xml", R"(<?xml version="1.0"?>
<!DOCTYPE copa-corpus SYSTEM "copa.dtd">
<copa-corpus version="1.0">
  <item id="7" asks-for="effect" most-plausible-alternative="2">
    <p>Tom &amp; Ann left.</p><a1>It rained.</a1><a2>We waved.</a2>
  </item>
</copa-corpus>)",
                              "copa-xml");
  ASSERT_EQ(questions.size(), 1U);
  EXPECT_EQ(questions[0].id, "7");
  EXPECT_EQ(questions[0].context, "Tom & Ann left.");
  EXPECT_THAT(questions[0].question, IsEmpty());
  EXPECT_THAT(questions[0].choices, ElementsAre("It rained.", "We waved."));
  EXPECT_EQ(questions[0].label, 1);
  EXPECT_EQ(questions[0].notes.asks_for, AsksFor::kEffect);
}

TEST_F(Formats, SuperGlueCopa) {
  const auto questions =
      read("copa.jsonl",
           R"({"premise": "P.", "choice1": "A.", "choice2": "B.", "question": "cause", "label": 0, "idx": 41})",
           "superglue-copa");
  ASSERT_EQ(questions.size(), 1U);
  EXPECT_EQ(questions[0].id, "41");
  EXPECT_EQ(questions[0].label, 0);
  EXPECT_EQ(questions[0].notes.asks_for, AsksFor::kCause);
}

constexpr const char* kSocialRow =
    R"({"context": "Jan ran.", "question": "Why did Jan do this?", "answerA": "a", "answerB": "b", "answerC": "c")";

TEST_F(Formats, SocialIqaWithALabelList) {
  folder_.write("dev-labels.lst", "3\n1\n");
  const auto questions =
      read("dev.jsonl", std::string(kSocialRow) + "}\n" + std::string(kSocialRow) + "}\n", "social-iqa");
  ASSERT_EQ(questions.size(), 2U);
  EXPECT_EQ(questions[0].id, "1");
  EXPECT_EQ(questions[0].label, 2);
  EXPECT_EQ(questions[1].label, 0);
  EXPECT_EQ(questions[0].notes.question_type, "motivations");
}

TEST_F(Formats, SocialIqaWithCorrect) {
  const auto questions = read("dev.jsonl", std::string(kSocialRow) + R"(, "correct": "B"})", "social-iqa");
  EXPECT_EQ(questions.at(0).label, 1);
}

TEST_F(Formats, CosmosCsvAndJsonl) {
  const std::string id = "3AB##3CD##A2WORKER##Blog_9##q1_a1##3EF";
  const auto from_csv =
      read("valid.csv",
           "id,context,question,answer0,answer1,answer2,answer3,label\n" + id +
               ",\"I said \"\"no\"\" , twice .\nThen left .\",Why ?,a,b,c,None of the above choices .,3\n",
           "cosmos-csv");
  ASSERT_EQ(from_csv.size(), 1U);
  EXPECT_EQ(from_csv[0].context, "I said \"no\" , twice .\nThen left .");
  EXPECT_EQ(from_csv[0].label, 3);
  EXPECT_EQ(from_csv[0].notes.author, "A2WORKER");
  EXPECT_EQ(from_csv[0].notes.other.at("blog"), "\"Blog_9\"");
  const auto from_jsonl =
      read("other.jsonl",
           R"({"id": ")" + id +
               R"(", "context": "I said \"no\" , twice .\nThen left .", "question": "Why ?", "answer0": "a", )"
               R"("answer1": "b", "answer2": "c", "answer3": "None of the above choices .", "label": "3"})",
           "cosmos-jsonl");
  EXPECT_EQ(from_jsonl, from_csv);
}

TEST_F(Formats, Codah) {
  const auto questions = read("full.tsv",
                              "i\tHe kicked\ta.\tb.\tc.\tthe \"bucket\".\t3\n"
                              "\tShe\t\"one, two\"\tb\tc\td\t0\n"
                              "nq\tThey\ta\tb\tc\td\t1\n",
                              "codah");
  ASSERT_EQ(questions.size(), 3U);
  EXPECT_EQ(questions[0].notes.category, "idioms");
  EXPECT_EQ(questions[0].choices[3], "the \"bucket\".");
  EXPECT_EQ(questions[0].label, 3);
  EXPECT_EQ(questions[1].notes.category, "");
  EXPECT_EQ(questions[1].choices[0], "one, two");
  EXPECT_EQ(questions[2].notes.category, "negation+quantitative");
}

TEST_F(Formats, Swag) {
  const auto questions =
      read("val.csv",
           ",video-id,fold-ind,startphrase,sent1,sent2,gold-source,ending0,ending1,ending2,ending3,label\n"
           "12,v_1,3415,\"She opens, slowly. He\",\"She opens, slowly.\",He,gold,waves.,sings.,falls.,leaves.,0\n",
           "swag");
  ASSERT_EQ(questions.size(), 1U);
  EXPECT_EQ(questions[0].id, "12");
  EXPECT_EQ(questions[0].context, "She opens, slowly.");
  EXPECT_THAT(questions[0].choices, ElementsAre("He waves.", "He sings.", "He falls.", "He leaves."));
  EXPECT_EQ(questions[0].label, 0);
}

TEST_F(Formats, RaceFolder) {
  folder_.write(
      "race/high/high10.txt",
      R"({"answers": ["D"], "options": [["a","b","c","d"]], "questions": ["Q _ ?"], "article": "Ten.", "id": "high10.txt"})");
  folder_.write(
      "race/high/high9.txt",
      R"({"answers": ["A","B"], "options": [["1","2","3","4"],["5","6","7","8"]], "questions": ["R?","S?"], "article": "Nine.", "id": "high9.txt"})");
  const auto path = folder_ / "race";
  EXPECT_EQ(open_questions(path).format->name, "race");
  const auto questions = read_questions(path);
  ASSERT_EQ(questions.size(), 3U);
  EXPECT_EQ(questions[0].id, "high9.txt/0");
  EXPECT_EQ(questions[0].context, "Nine.");
  EXPECT_EQ(questions[1].label, 1);
  EXPECT_EQ(questions[2].id, "high10.txt/0");
  EXPECT_EQ(questions[2].notes.category, "high");
  EXPECT_EQ(questions[2].label, 3);
}

TEST_F(Formats, WinogradXml) {
  const auto questions = read("WSCollection.xml", R"(<?xml version="1.0" encoding="utf-8"?>
<collection>
  <schema>
    <text><txt1>The
 councilmen refused because</txt1> <pron> they </pron> <txt2> feared violence.</txt2></text>
    <quote><quote1>because</quote1><pron>they</pron><quote2>feared</quote2></quote>
    <answers><answer> The councilmen </answer><answer>The demonstrators</answer></answers>
    <correctAnswer> A. </correctAnswer>
    <source>(Winograd 1972)</source>
  </schema>
</collection>)",
                              "wsc-xml");
  ASSERT_EQ(questions.size(), 1U);
  EXPECT_EQ(questions[0].context, "The councilmen refused because");
  EXPECT_THAT(questions[0].choices,
              ElementsAre("The councilmen feared violence.", "The demonstrators feared violence."));
  EXPECT_EQ(questions[0].label, 0);
}

TEST_F(Formats, WinogradTextAndDefinitePronouns) {
  const auto masked = read(
      "wsc.txt", "The cup fell because  [MASK]  was wet. \n[MASK]\n the cup , the hand \n the hand \n\n", "wsc-text");
  ASSERT_EQ(masked.size(), 1U);
  EXPECT_EQ(masked[0].context, "The cup fell because");
  EXPECT_THAT(masked[0].choices, ElementsAre("the cup was wet.", "the hand was wet."));
  EXPECT_EQ(masked[0].label, 1);
  const auto plain = read(
      "train.c.txt", "The bee landed on the flower because it's hungry.\nit\nThe bee,the flower\nThe bee\n", "dpr");
  EXPECT_THAT(plain.at(0).choices, ElementsAre("The bee's hungry.", "the flower's hungry."));
}

TEST_F(Formats, CommonsenseQa) {
  const auto questions = read(
      "dev.jsonl",
      R"({"answerKey": "B", "id": "x1", "question": {"question_concept": "door", "choices": [{"label": "A", "text": "bank"}, )"
      R"({"label": "B", "text": "mall"}, {"label": "C", "text": "zoo"}], "stem": "Where?"}})",
      "commonsense-qa");
  ASSERT_EQ(questions.size(), 1U);
  EXPECT_EQ(questions[0].question, "Where?");
  EXPECT_THAT(questions[0].context, IsEmpty());
  EXPECT_THAT(questions[0].choices, ElementsAre("bank", "mall", "zoo"));
  EXPECT_EQ(questions[0].label, 1);
}

TEST_F(Formats, ByteOrderMarksAndWindowsLineEndsAreFine) {
  const auto questions =
      read("q.jsonl", "\xEF\xBB\xBF{\"choices\":[\"a\",\"b\"]}\r\n{\"choices\":[\"c\",\"d\"]}\r\n", "native");
  EXPECT_EQ(questions.size(), 2U);
  EXPECT_EQ(read("c.tsv", "o\tP\ta\tb\tc\td\t0\r\n", "codah").at(0).label, 0);
}

TEST_F(Formats, PackedFilesFindTheirLabels) {
  folder_.write("dev.jsonl", std::string(kSocialRow) + "}\n");
  folder_.write("dev-labels.lst", "2\n");
  const auto opened = open_questions(folder_ / "dev.jsonl");
  EXPECT_TRUE(opened.labels_were_found);
  EXPECT_EQ(opened.labels.filename(), "dev-labels.lst");
}

TEST(FormatRegistry, NamesAreTheContractsAndStandOnce) {
  std::vector<std::string> names;
  for (const QuestionFormat* format : question_formats()) names.push_back(format->name);
  EXPECT_THAT(names, testing::UnorderedElementsAre("native", "copa-xml", "superglue-copa", "social-iqa", "cosmos-csv",
                                                   "cosmos-jsonl", "codah", "swag", "race", "wsc-xml", "wsc-text",
                                                   "dpr", "commonsense-qa"));
}

}  // namespace
}  // namespace gumption
