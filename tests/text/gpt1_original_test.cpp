#include "gumption/text/gpt1_original.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gumption/text/bert_tokenizer.h"
#include "gumption/text/tokenizer_files.h"

#include "support/support.h"

namespace gumption {
namespace {

using testing::ElementsAre;

std::vector<std::string> words_of_gpt1(std::string_view text) {
  const Gpt1Text original = gpt1_original_text(text);
  std::vector<std::string> words;
  for (const PointSpan span : original.words) words.push_back(utf8_of(original.points, span));
  return words;
}

TEST(Gpt1Original, SplitsAsSpacyDoes) {
  EXPECT_THAT(words_of_gpt1("He didn't go, it's Mr. Smith's."),
              ElementsAre("he", "did", "n't", "go", ",", "it", "'s", "mr.", "smith", "'s", "."));
  EXPECT_THAT(words_of_gpt1("I'll cannot we're"), ElementsAre("i", "'ll", "can", "not", "we", "'re"));
  EXPECT_THAT(words_of_gpt1("The U.S. won at 5 p.m. today."),
              ElementsAre("the", "u.s.", "won", "at", "5", "p.m.", "today", "."));
  EXPECT_THAT(words_of_gpt1("'quoted' $5 50%"), ElementsAre("'", "quoted", "'", "$", "5", "50", "%"));
}

TEST(Gpt1Original, StandardisesText) {
  EXPECT_THAT(words_of_gpt1("“So…” — she said!!"), ElementsAre("\"", "so", "...", "\"", "-", "she", "said", "!!"));
  EXPECT_THAT(words_of_gpt1("ﬁne ＦＵＬＬ cafe\u0301"), ElementsAre("fine", "full", "café"));
}

TEST(Gpt1Original, ALineEndIsAWord) {
  EXPECT_THAT(words_of_gpt1("\n one \r\n\n two\n"), ElementsAre("one", "\n", "two"));
  EXPECT_THAT(words_of_gpt1(" \n "), ElementsAre());
}

TEST(Gpt1Original, IsAModeOfTheTokenizer) {
  GUMPTION_NEEDS_SHARED(folder, "data/vocab/gpt1");
  const auto tokenizer = load_tokenizer(folder, {.gpt1_words = Gpt1Words::kOriginal});
  const Encoding encoding = tokenizer->encode_with_offsets("Don’t\nstop");
  std::vector<std::string> tokens;
  for (const TokenId id : encoding.ids) tokens.emplace_back(tokenizer->vocabulary().token_of(id));
  EXPECT_THAT(tokens, ElementsAre("do</w>", "n't</w>", "\n</w>", "stop</w>"));
  EXPECT_EQ(encoding.points[1], (TextRange{2, 5}));
  EXPECT_EQ(tokenizer->encode("Don’t\nstop"), encoding.ids);
}

}  // namespace
}  // namespace gumption
