#include "gumption/data/pronoun_question.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gumption {
namespace {

TEST(PronounQuestion, FindsThePronounThatIsMeant) {
  const auto find = [](std::string_view text, std::string_view pronoun, const std::vector<std::string>& candidates) {
    const auto at = find_pronoun(text, pronoun, candidates);
    return at ? std::string(text.substr(*at)) : "";
  };
  EXPECT_EQ(find("The bee left as it was late.", "it", {"The bee"}), "it was late.");
  EXPECT_EQ(find("The kit left as it was late.", "it", {"The kit"}), "it was late.");
  // The first "they" stands before the second candidate is named.
  EXPECT_EQ(find("Explorer believes they beat Firefox, but they lost.", "they", {"Explorer", "Firefox"}), "they lost.");
  EXPECT_EQ(find("He ran because he could.", "he", {"Tom"}), "he could.");
  EXPECT_EQ(find("Nothing here.", "it", {}), "");
}

TEST(PronounQuestion, CutsAndPutsTogether) {
  const PronounText text = cut_at_pronoun("  Because (it's  late)", 11, "it");
  EXPECT_EQ(text.before, "Because (");
  EXPECT_EQ(text.after, "'s late)");
  EXPECT_FALSE(text.gap_before);
  EXPECT_FALSE(text.gap_after);
  Question question;
  fill_pronoun_question(text, {"the hour", "dinner"}, question);
  EXPECT_THAT(question.choices, testing::ElementsAre("the hour's late)", "dinner's late)"));
  const auto parts = pronoun_parts(question);
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->text, text);
  EXPECT_THAT(parts->candidates, testing::ElementsAre("the hour", "dinner"));
}

TEST(PronounQuestion, NotesMustFitTheChoices) {
  Question question;
  question.choices = {"a x", "b y"};
  EXPECT_FALSE(pronoun_parts(question));
  question.notes.other = {{"pronoun", "\"it\""}, {"candidates", R"(["a","b"])"}};
  EXPECT_FALSE(pronoun_parts(question));
  question.choices[1] = "b x";
  EXPECT_TRUE(pronoun_parts(question));
  question.notes.other["candidates"] = "not JSON";
  EXPECT_FALSE(pronoun_parts(question));
}

}  // namespace
}  // namespace gumption
