#include "gumption/text/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gumption {
namespace {

using testing::ElementsAre;

TEST(Words, AreRunsOfLettersDigitsAndInnerApostrophes) {
  EXPECT_THAT(words_of("Don't stop, O'Brien's 3rd try!"), ElementsAre("don't", "stop", "o'brien's", "3rd", "try"));
  EXPECT_THAT(words_of("'quoted' dogs' rock'n'roll a''b"), ElementsAre("quoted", "dogs", "rock'n'roll", "a", "b"));
  EXPECT_THAT(words_of("well-known e.g. x_y"), ElementsAre("well", "known", "e", "g", "x", "y"));
}

TEST(Words, TakeTypographicApostrophesAndMarks) {
  EXPECT_THAT(words_of("It’s CAFE\u0301"), ElementsAre("it's", "cafe\u0301"));
  EXPECT_TRUE(words_of(" … — \u0301 ").empty());
}

TEST(Words, TokensAreWhatWhiteSpaceSeparates) {
  EXPECT_EQ(count_tokens(""), 0U);
  EXPECT_EQ(count_tokens("  He wo nt\u00A0go .  "), 5U);
}

}  // namespace
}  // namespace gumption
