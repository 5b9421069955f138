#include "gumption/data/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data_support.h"
#include "support/support.h"

namespace gumption {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Check : public testing::Test {
 protected:
  static std::string row(const std::string& context, const std::string& choices, const std::string& rest = {}) {
    return R"({"context":")" + context + R"(","choices":[)" + choices + "]" + rest + "}\n";
  }

  CheckReport check(const std::vector<std::filesystem::path>& paths, const CheckOptions& options = {}) {
    ThreadPool pool(2);
    return check_files(paths, {}, options, pool);
  }

  static std::vector<std::size_t> lines_of(const CheckReport& report, const std::string& kind) {
    std::vector<std::size_t> lines;
    for (const Finding& finding : report.findings) {
      if (finding.kind == kind) lines.push_back(finding.line);
    }
    return lines;
  }

  static std::string message_of(const CheckReport& report, const std::string& kind) {
    for (const Finding& finding : report.findings) {
      if (finding.kind == kind) return finding.message;
    }
    return "";
  }

  test::TemporaryFolder folder_;
};

TEST_F(Check, FindsNothingInAGoodFile) {
  const auto path =
      folder_.write("a.jsonl", row("One cat sat here.", R"("yes","no")") + row("Two dogs ran far.", R"("up","down")"));
  const auto report = check({path});
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_EQ(report.questions, 2U);
}

TEST_F(Check, BadRowsAreFindingsAndTheRestIsRead) {
  const auto path = folder_.write(
      "a.jsonl", row("A b c.", R"("x","y")") + "{broken\n" + row("D e f.", R"("x")") + row("G h i.", R"("x","y")"));
  const auto report = check({path});
  EXPECT_THAT(lines_of(report, "bad-row"), ElementsAre(2, 3));
  EXPECT_EQ(report.questions, 2U);
  EXPECT_EQ(report.summary.at("bad-row"), 2U);
}

TEST_F(Check, DuplicatesAreTheSameButForCaseSpacesAndOrderOfChoices) {
  const auto a =
      folder_.write("a.jsonl", row("The cat sat.", R"("on it","off it")") + row("Other text here.", R"("p","q")"));
  const auto b = folder_.write("b.jsonl", row("the  CAT sat.", R"("off it","On it")"));
  const auto report = check({a, b});
  EXPECT_THAT(lines_of(report, "duplicate"), ElementsAre(1));
  EXPECT_THAT(message_of(report, "duplicate"), HasSubstr(a.string() + ":1"));
  EXPECT_THAT(lines_of(report, "near-duplicate"), IsEmpty());
}

TEST_F(Check, NearDuplicates) {
  // Ten words give eight trigrams; another last word changes one of them: 7 of 9 shared.
  const auto path = folder_.write("a.jsonl", row("one two three four five six seven eight", R"("nine","ten")") +
                                                 row("one two three four five six seven eight", R"("nine","eleven")"));
  CheckOptions options;
  EXPECT_THAT(lines_of(check({path}, options), "near-duplicate"), IsEmpty());
  options.similarity = 0.75;
  EXPECT_THAT(message_of(check({path}, options), "near-duplicate"), HasSubstr("shares 78%"));
  options.no_near_duplicates = true;
  EXPECT_THAT(lines_of(check({path}, options), "near-duplicate"), IsEmpty());
}

TEST_F(Check, ContextsAndEventsInTwoSplits) {
  const auto train =
      folder_.write("train.jsonl", row("Shared context.", R"("a","b")", R"(,"notes":{"source_event":"e1"})") +
                                       row("Own context.", R"("c","d")"));
  const auto dev =
      folder_.write("dev.jsonl", row("shared context.", R"("e","f")", R"(,"notes":{"source_event":"E1"})") +
                                     row("Another one.", R"("g","h")"));
  const auto report = check({train, dev});
  EXPECT_THAT(lines_of(report, "shared-context"), ElementsAre(1));
  EXPECT_THAT(lines_of(report, "shared-event"), ElementsAre(1));
  EXPECT_THAT(message_of(report, "shared-context"), HasSubstr(train.string() + ":1"));
  EXPECT_THAT(lines_of(check({train}), "shared-context"), IsEmpty());
}

TEST_F(Check, SplitsMayBeNotedInOneFile) {
  const auto path =
      folder_.write("all.jsonl", row("Shared context.", R"("a","b")", R"(,"notes":{"split":"train"})") +
                                     row("Shared context.", R"("c","d")", R"(,"notes":{"split":"test"})"));
  EXPECT_THAT(lines_of(check({path}), "shared-context"), ElementsAre(2));
}

TEST_F(Check, RepeatedChoices) {
  const auto path = folder_.write("a.jsonl", row("A b c.", R"("x","y"," X ")") + row("D e f.", R"("x","y")"));
  EXPECT_THAT(lines_of(check({path}), "repeated-choice"), ElementsAre(1));
}

TEST_F(Check, LabelPositions) {
  std::string even;
  std::string uneven;
  for (int i = 0; i < 40; ++i) {
    const std::string context = "Context number " + std::to_string(i);
    even += row(context, R"("x","y")", R"(,"label":)" + std::to_string(i % 2));
    uneven += row(context, R"("x","y")", R"(,"label":)" + std::to_string(i < 30 ? 0 : 1));
  }
  EXPECT_THAT(lines_of(check({folder_.write("even.jsonl", even)}), "label-bias"), IsEmpty());
  // 30 against 10: chi-square (10² + 10²)/20 = 10, p = .0016.
  const auto report = check({folder_.write("uneven.jsonl", uneven)});
  EXPECT_THAT(message_of(report, "label-bias"), HasSubstr("75.0%, 25.0% over 2 choices (chi-square 10.0, p = 0.0016)"));
  EXPECT_EQ(lines_of(report, "label-bias").at(0), 0U);
}

TEST_F(Check, LengthsOfRightAnswers) {
  std::string text;
  for (int i = 0; i < 30; ++i) {
    const std::string longer = i % 2 == 0 ? "four words right here" : "five words are right here";
    text += row("Context number " + std::to_string(i), "\"" + longer + "\",\"two words\"", R"(,"label":0)");
  }
  // Right: mean 4.5; wrong: 2.
  EXPECT_THAT(message_of(check({folder_.write("a.jsonl", text)}), "length-bias"),
              HasSubstr("longer than wrong ones: 4.50 against 2.00 tokens"));
}

TEST_F(Check, NoneOfTheAboveRates) {
  const auto path = folder_.write("a.jsonl", row("A b c.", R"("x","None of the above choices .")", R"(,"label":1)") +
                                                 row("D e f.", R"("none of the above","y")", R"(,"label":1)") +
                                                 row("G h i.", R"("x","y")", R"(,"label":0)"));
  EXPECT_THAT(message_of(check({path}), "none-of-the-above"),
              HasSubstr("a choice of 2 of 3 questions (66.7%) and the right one of 1 of these (50.0%)"));
}

TEST_F(Check, OddCharacters) {
  const auto path =
      folder_.write("a.jsonl", row("zero\u200Bwidth", R"("x","y")") + row("fine “text” here", R"("x","y")") +
                                   row("donâ€™t", R"("x","y")") + row("lost \uFFFD here", R"("x","y")"));
  const auto report = check({path});
  EXPECT_THAT(lines_of(report, "odd-characters"), ElementsAre(1, 3, 4));
  EXPECT_THAT(message_of(report, "odd-characters"), HasSubstr("U+200B in the context"));
}

TEST_F(Check, KindsCanBeIgnoredAndLimited) {
  std::string text;
  for (int i = 0; i < 10; ++i) text += row("Context number " + std::to_string(i), R"("x","x")");
  const auto path = folder_.write("a.jsonl", text);
  CheckOptions options;
  options.most_findings = 3;
  auto report = check({path}, options);
  EXPECT_EQ(lines_of(report, "repeated-choice").size(), 3U);
  EXPECT_EQ(report.summary.at("repeated-choice"), 10U);
  options.ignore = {"repeated-choice"};
  report = check({path}, options);
  EXPECT_FALSE(report.summary.contains("repeated-choice"));
  options.ignore = {"repeated-choise"};
  EXPECT_THAT(test::user_error_of([&] { check({path}, options); }), HasSubstr("Did you mean repeated-choice?"));
}

TEST_F(Check, UnreadableFilesEndIt) {
  EXPECT_THROW(check({folder_ / "absent"}), UserError);
  folder_.write("dev-labels.lst", "1\n");
  EXPECT_THAT(test::user_error_of(
                  [&] { check({folder_.write("dev.jsonl", row("A", R"("x","y")") + row("B", R"("x","y")"))}); }),
              HasSubstr("expected a label for question 2"));
}

}  // namespace
}  // namespace gumption
