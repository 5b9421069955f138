#include "gumption/text/treebank.h"

#include <chrono>
#include <fstream>
#include <random>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gumption/text/unicode.h"

#include "support/support.h"

namespace gumption {
namespace {

using testing::ElementsAre;

std::vector<std::string> lines_of(const char* name) {
  std::ifstream file(test::source_folder() / "tests/text/fixtures" / name);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

TEST(Treebank, AgreesWithStanfordsTokenizer) {
  const auto lines = lines_of("treebank-lines.txt");
  const auto expected = lines_of("treebank-tokens.txt");
  ASSERT_EQ(lines.size(), 74U);
  ASSERT_EQ(expected.size(), lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    TreebankOptions options{.drop_punctuation = false};
    if (i + 1 < lines.size()) options.following = lines[i + 1];
    const auto tokens = treebank_tokens(lines[i], options);
    EXPECT_EQ(fmt::format("{}", fmt::join(tokens, " ")), expected[i]) << lines[i];
  }
}

TEST(Treebank, ServesTheCocoTools) {
  EXPECT_THAT(treebank_tokens("A man, who can't swim, is \"riding\" his dog's wave - wow!"),
              ElementsAre("a", "man", "who", "ca", "n't", "swim", "is", "riding", "his", "dog", "'s", "wave", "wow"));
  EXPECT_THAT(treebank_tokens("Two (2) dogs; one cat..."),
              ElementsAre("two", "-lrb-", "2", "-rrb-", "dogs", "one", "cat"));
  EXPECT_THAT(treebank_tokens("Wow!! Really?!"), ElementsAre("wow", "!!", "really", "?!"));
}

TEST(Treebank, KeepsCaseAndMarksOnDemand) {
  EXPECT_THAT(treebank_tokens("He isn't \"in\" (yet).", {.lower_case = false, .drop_punctuation = false}),
              ElementsAre("He", "is", "n't", "``", "in", "''", "-LRB-", "yet", "-RRB-", "."));
  EXPECT_THAT(treebank_tokens("Yes (no).", {.lower_case = false}), ElementsAre("Yes", "no"));
}

// A period behind an initial depends on the next caption, as in the original.
TEST(Treebank, LooksAtWhatFollows) {
  EXPECT_THAT(treebank_tokens("plan B."), ElementsAre("plan", "b."));
  EXPECT_THAT(treebank_tokens("plan B.", {.following = "The man runs."}), ElementsAre("plan", "b"));
  EXPECT_THAT(treebank_tokens("plan B.", {.following = "Bobby runs."}), ElementsAre("plan", "b."));
}

TEST(Treebank, LeavesOutWhatCannotBeAToken) {
  EXPECT_THAT(treebank_tokens("fun 😀 \xFF\xFE ok\x01 soft\u00ADhyphen \uFEFF"),
              ElementsAre("fun", "ok", "softhyphen"));
  EXPECT_THAT(treebank_tokens(""), ElementsAre());
  EXPECT_THAT(treebank_tokens(" \n\u00A0 "), ElementsAre());
}

TEST(Treebank, TakesAnyBytes) {
  std::mt19937 random(3);
  const std::string alphabet = "aZ9 .'\"-/<>&@:;()!?,$#_*~\n\xC2\xE2\x80\x99";
  for (int round = 0; round < 5000; ++round) {
    std::string text;
    for (auto i = random() % 30; i > 0; --i) text += alphabet[random() % alphabet.size()];
    for (const auto& token : treebank_tokens(text)) {
      ASSERT_FALSE(token.empty());
      ASSERT_EQ(token.find('\n'), std::string::npos);
      ASSERT_EQ(find_invalid_utf8(token), std::nullopt) << token;
    }
  }
}

TEST(Treebank, TakesLinearTime) {
  for (const std::string piece :
       {"a,", "a.", "<a ", "1-", "a'", "a@", "(", "a/", "-", ". ", "http://a", "“", "a_", "n't", "é"}) {
    std::string text;
    while (text.size() < 200'000) text += piece;
    const auto begin = std::chrono::steady_clock::now();
    treebank_tokens(text);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20)) << piece;
  }
}

}  // namespace
}  // namespace gumption
