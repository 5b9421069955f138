#include "gumption/corpus/asked_counts.h"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gumption/base/files.h"

#include "corpus/corpus_support.h"
#include "support/support.h"

namespace gumption {
namespace {

using test::BruteForce;
using testing::ElementsAre;

std::unique_ptr<AskedCounts> count(const std::vector<std::string>& inputs, const std::vector<WordPair>& pairs,
                                   const CountOptions& options = {}) {
  return count_asked(find_text_files(inputs), pairs, options);
}

void expect_equal(const PairCounts& counts, const BruteForce& expected, const std::vector<WordPair>& pairs) {
  EXPECT_EQ(counts.totals(), expected.totals);
  for (const auto& [word, number] : expected.words) EXPECT_EQ(counts.count_of(word), number) << word;
  const std::vector<std::uint64_t> none(counts.windows().size());
  for (const WordPair& pair : pairs) {
    const auto found = expected.pairs.find(pair);
    EXPECT_EQ(counts.count_of(pair.first, pair.second), found == expected.pairs.end() ? none : found->second)
        << pair.first << " " << pair.second;
  }
}

TEST(AskedCounts, ByHand) {
  const test::TemporaryFolder folder;
  const auto path = folder.write("t.txt", "Ice melted. The ice, the ICE melted!");
  // Words:                              1   2       3   4    5   6   7
  CountOptions options;
  options.windows = {1, 2, 10};
  const auto counts = count({path}, {{"ice", "melted"}, {"melted", "ice"}, {"ice", "ice"}}, options);
  EXPECT_EQ(counts->count_of("ice"), 3);
  EXPECT_EQ(counts->count_of("melted"), 2);
  EXPECT_EQ(counts->totals().words, 7);
  EXPECT_THAT(counts->count_of("ice", "melted"), ElementsAre(2, 2, 4));  // 1–2, 6–7; 4–7, 1–7
  EXPECT_THAT(counts->count_of("melted", "ice"), ElementsAre(0, 1, 2));  // 2–4, 2–6
  EXPECT_THAT(counts->count_of("ice", "ice"), ElementsAre(0, 1, 3));     // 4–6; 1–4, 1–6
  EXPECT_THAT(counts->count_of("the", "ice"), ElementsAre(0, 0, 0));     // not asked for
}

TEST(AskedCounts, EqualBruteForceOnRandomText) {
  const std::vector<std::vector<std::uint64_t>> window_sets = {{5, 25, 50}, {1}, {2, 3, 7, 100}};
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    RandomStream random(seed);
    const test::TemporaryFolder folder;
    std::vector<std::string> texts;
    for (int file = 0; file < 4; ++file) {
      texts.push_back(test::random_text(random, random.below(600)));
      folder.write("f" + std::to_string(file), texts.back());
    }
    for (const auto documents : {DocumentEnd::kFile, DocumentEnd::kBlankLine, DocumentEnd::kLine}) {
      CountOptions options;
      options.windows = window_sets[seed % window_sets.size()];
      options.text.documents = documents;
      const BruteForce expected(texts, options.windows, documents);
      const auto pairs = test::all_pairs(expected);
      for (const std::size_t threads : {1, 2, 5}) {
        options.threads = threads;
        // The longest word with what surrounds it must fit into a block.
        options.block = std::vector<std::size_t>{200, 1000, TextBlockReader::kBlock}[threads % 3];
        expect_equal(*count({folder.path()}, pairs, options), expected, pairs);
      }
    }
  }
}

TEST(AskedCounts, EqualBruteForceOnProse) {
  const test::TemporaryFolder folder;
  const auto path = folder.write("jekyll.txt", test::kExcerpt);
  const CountOptions options;
  const BruteForce expected({std::string(test::kExcerpt)}, options.windows);
  const auto pairs = test::all_pairs(expected);
  expect_equal(*count({path}, pairs, options), expected, pairs);
}

TEST(AskedCounts, EqualBruteForceOnBooks) {
  const char* folder = std::getenv("GUMPTION_BOOKS");
  if (folder == nullptr) GTEST_SKIP() << "set GUMPTION_BOOKS to a folder of text files";
  const auto file = find_text_files({folder}).front();
  const std::string text(MappedFile(file.path).bytes());
  CountOptions options;
  const BruteForce expected({text}, options.windows);
  std::vector<WordPair> pairs;
  for (const auto& [pair, ignored] : expected.pairs) pairs.push_back(pair);
  options.block = 100'000;
  expect_equal(*count({file.path}, pairs, options), expected, pairs);
}

TEST(AskedCounts, PartsCountedApartAddUp) {
  const test::TemporaryFolder folder;
  const auto one = folder.write("one.txt", "rain fell and rain froze");
  const auto two = folder.write("two.txt", "rain froze");
  const std::vector<WordPair> pairs = {{"rain", "froze"}};
  const auto whole = count({one, two}, pairs);
  auto first = count({one}, pairs);
  first->add(*count({two}, pairs));
  EXPECT_EQ(first->totals(), whole->totals());
  EXPECT_EQ(first->count_of("rain", "froze"), whole->count_of("rain", "froze"));
  EXPECT_THAT(whole->count_of("rain", "froze"), ElementsAre(3, 3, 3));
}

TEST(AskedCounts, StemsJoinSpellings) {
  const test::TemporaryFolder folder;
  const auto path = folder.write("t.txt", "The dogs barked. A dog barks. Dogs' barking.");
  CountOptions options;
  options.words.form = WordForm::kStem;
  const auto counts = count({path}, {{"dog", "bark"}}, options);
  EXPECT_EQ(counts->count_of("dog"), 3);  // libstemmer takes the apostrophe off too, but it isn't part of the word
  EXPECT_EQ(counts->count_of("bark"), 3);
  EXPECT_THAT(counts->count_of("dog", "bark"), ElementsAre(5, 6, 6));
}

TEST(AskedCounts, StopWordsAndRareWordsCanBeLeftOut) {
  const test::TemporaryFolder folder;
  const auto path = folder.write("t.txt", "the rain the rain the snow");
  CountOptions options;
  options.words.drop_stop_words = true;
  options.words.min_count = 2;
  const auto counts = count({path}, {{"the", "rain"}, {"rain", "snow"}, {"rain", "rain"}}, options);
  EXPECT_EQ(counts->count_of("the"), 0);
  EXPECT_EQ(counts->count_of("snow"), 0);
  EXPECT_THAT(counts->count_of("the", "rain"), ElementsAre(0, 0, 0));
  EXPECT_THAT(counts->count_of("rain", "snow"), ElementsAre(0, 0, 0));
  EXPECT_THAT(counts->count_of("rain", "rain"), ElementsAre(1, 1, 1));
  EXPECT_EQ(counts->totals().words, 6);
}

}  // namespace
}  // namespace gumption
