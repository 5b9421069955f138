#include "gumption/text/bpe_merges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gumption/base/random.h"

namespace gumption {
namespace {

using testing::ElementsAre;

std::vector<TokenId> ids_of(const std::vector<BpeSymbol>& symbols) {
  std::vector<TokenId> ids;
  for (const BpeSymbol& symbol : symbols) ids.push_back(symbol.id);
  return ids;
}

/// Letters a, b, c as 0, 1, 2.
std::vector<BpeSymbol> symbols_of(std::string_view letters) {
  std::vector<BpeSymbol> symbols;
  for (const char letter : letters) symbols.push_back({letter - 'a', 1});
  return symbols;
}

TEST(BpeMerges, LowestRankFirstThenLeftmost) {
  const Vocabulary vocabulary({{"a", 0}, {"b", 1}, {"c", 2}, {"bc", 3}, {"ab", 4}, {"aa", 5}, {"abc", 6}}, "v");
  const BpeMerges merges({{"b", "c"}, {"a", "b"}, {"a", "a"}, {"a", "bc"}}, vocabulary, "m");
  BpeMerges::Scratch scratch;
  auto symbols = symbols_of("abc");  // bc goes before ab
  merges.apply(symbols, scratch);
  EXPECT_THAT(ids_of(symbols), ElementsAre(6));
  symbols = symbols_of("aaab");  // ab, then the leftmost aa
  merges.apply(symbols, scratch);
  EXPECT_THAT(ids_of(symbols), ElementsAre(5, 4));
  EXPECT_EQ(symbols[0].length, 2U);
}

/// Merges over {a, b, c} that are drawn at random: in no sensible order, as a hostile file could have them.
BpeMerges random_merges(RandomStream& random) {
  std::vector<std::string> tokens = {"a", "b", "c"};
  std::vector<MergeRule> rules;
  for (int i = 0; i < 60; ++i) {
    MergeRule rule{tokens[random.below(tokens.size())], tokens[random.below(tokens.size())]};
    const std::string joined = rule.left + rule.right;
    if (std::find(tokens.begin(), tokens.end(), joined) != tokens.end() || joined.size() > 12) continue;
    tokens.push_back(joined);
    rules.push_back(rule);
  }
  shuffle(rules, random);
  std::vector<VocabularyEntry> entries;
  for (const std::string& token : tokens) entries.push_back({token, static_cast<std::int64_t>(entries.size()), 0});
  return BpeMerges(rules, Vocabulary(entries, "v"), "m");
}

TEST(BpeMerges, FewAndManySymbolsMergeAsThePlainWayDoes) {
  RandomStream random(5);
  BpeMerges::Scratch scratch;
  for (int round = 0; round < 200; ++round) {
    const BpeMerges merges = random_merges(random);
    for (int word = 0; word < 20; ++word) {
      std::string letters;
      for (std::uint64_t left = random.below(word % 2 == 0 ? 20 : 200); left > 0; --left) {
        letters += static_cast<char>('a' + random.below(3));
      }
      auto fast = symbols_of(letters);
      auto plain = symbols_of(letters);
      merges.apply(fast, scratch);
      merges.apply_plainly(plain);
      ASSERT_EQ(ids_of(fast), ids_of(plain)) << letters;
    }
  }
}

}  // namespace
}  // namespace gumption
