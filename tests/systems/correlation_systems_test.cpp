#include "gumption/systems/correlation_systems.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gumption/base/error.h"
#include "gumption/corpus/index_builder.h"

#include "support/support.h"

namespace gumption {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;

class Correlation : public testing::Test {
 protected:
  Correlation() {
    // Words:                                1   2       3   4       5   6
    path_ = folder_.write("text.txt", "Ice melted. Ice melted. Sun rose.");
  }

  static Question asking(std::optional<AsksFor> asks_for) {
    Question question;
    question.id = "1";
    question.context = "The ice";
    question.choices = {"It melted.", "It rose."};
    question.notes.asks_for = asks_for;
    return question;
  }

  template <class Options>
  Options options() const {
    Options options;
    options.corpus = {path_};
    return options;
  }

  test::TemporaryFolder folder_;
  std::string path_;
};

TEST_F(Correlation, PmiByHand) {
  const std::vector<Question> questions = {asking(AsksFor::kEffect), asking(AsksFor::kCause), asking(std::nullopt)};
  const auto answers = PmiSystem(options<PmiOptions>()).answer(questions);
  // ice … melted: 1–2, 1–4, 3–4; ice … rose: 1–6, 3–6.
  const double melted = std::log2(3.0 * 6 / (2 * 2));
  const double rose = std::log2(2.0 * 6 / (2 * 1));
  EXPECT_THAT(answers[0].scores, ElementsAre(DoubleEq(melted), DoubleEq(rose)));
  EXPECT_EQ(answers[2].scores, answers[0].scores);
  // The other way round: melted … ice: 2–3; rose never before ice.
  EXPECT_THAT(answers[1].scores, ElementsAre(DoubleEq(std::log2(1.0 * 6 / (2 * 2))), 0));
}

TEST_F(Correlation, ZeroCounts) {
  PmiOptions smooth = options<PmiOptions>();
  smooth.zero = ZeroCount::kSmooth;
  const std::vector<Question> questions = {asking(AsksFor::kCause)};
  EXPECT_THAT(PmiSystem(smooth).answer(questions)[0].scores[1], DoubleEq(std::log2(0.5 * 6 / (1 * 2))));
  PmiOptions skip = options<PmiOptions>();
  skip.zero = ZeroCount::kSkip;
  Question two_words = asking(AsksFor::kEffect);
  two_words.choices[0] = "melted snow";
  const auto with_skip = PmiSystem(skip).answer({&two_words, 1})[0].scores[0];
  EXPECT_DOUBLE_EQ(with_skip, std::log2(4.5));
  EXPECT_DOUBLE_EQ(PmiSystem(options<PmiOptions>()).answer({&two_words, 1})[0].scores[0], std::log2(4.5) / 2);
}

TEST_F(Correlation, DiceByHand) {
  const std::vector<Question> questions = {asking(AsksFor::kEffect)};
  EXPECT_THAT(DiceSystem(options<DiceOptions>()).answer(questions)[0].scores,
              ElementsAre(DoubleEq(2.0 * 3 / (2 + 2)), DoubleEq(2.0 * 2 / (2 + 1))));
}

TEST_F(Correlation, AnIndexAnswersAsTheTextDoes) {
  const std::vector<Question> questions = {asking(AsksFor::kEffect), asking(AsksFor::kCause)};
  build_count_index({path_}, folder_ / "i", {});
  PmiSystem on_text(options<PmiOptions>());
  EXPECT_TRUE(on_text.wants_questions_first());
  on_text.prepare(questions);
  PmiOptions by_index;
  by_index.corpus = {folder_ / "i"};
  PmiSystem on_index(by_index);
  EXPECT_FALSE(on_index.wants_questions_first());
  for (const Question& question : questions) {
    EXPECT_EQ(on_index.answer({&question, 1})[0].scores, on_text.answer({&question, 1})[0].scores);
  }
  by_index.window = 7;
  EXPECT_THROW(PmiSystem(by_index).answer(questions), UserError);
}

TEST_F(Correlation, NoContentWordsScoreNothing) {
  Question question = asking(AsksFor::kEffect);
  question.choices = {"It was.", "melted"};
  EXPECT_EQ(PmiSystem(options<PmiOptions>()).answer({&question, 1})[0].scores[0], 0);
  PmiOptions all = options<PmiOptions>();
  all.all_words = true;
  EXPECT_EQ(PmiSystem(all).answer({&question, 1})[0].choice, 1);
}

TEST_F(Correlation, TextIsRequired) { EXPECT_THROW(PmiSystem({}).answer({}), UsageError); }

}  // namespace
}  // namespace gumption
