#include "gumption/text/stop_words.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "gumption/text/words.h"

namespace gumption {
namespace {

TEST(StopWords, AreFunctionWords) {
  for (const char* word : {"the", "and", "herself", "wouldn't", "of", "because"})
    EXPECT_TRUE(is_stop_word(word)) << word;
  for (const char* word : {"man", "cause", "run", "happy", "", "The"}) EXPECT_FALSE(is_stop_word(word)) << word;
}

TEST(StopWords, AreWordsAsTheCounterSeesThem) {
  for (const std::string_view word : stop_words()) {
    const auto words = words_of(word);
    ASSERT_EQ(words.size(), 1U) << word;
    EXPECT_EQ(words[0], word);
  }
}

TEST(StopWords, StandOnce) {
  const auto all = stop_words();
  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
}

}  // namespace
}  // namespace gumption
