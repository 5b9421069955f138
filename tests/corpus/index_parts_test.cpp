// The parts that a count index is built from, each by itself.

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gumption/base/error.h"
#include "gumption/corpus/kept_text.h"
#include "gumption/corpus/occurrences.h"
#include "gumption/corpus/run_file.h"
#include "gumption/corpus/vocabulary_pass.h"

#include "corpus/corpus_support.h"
#include "support/support.h"

namespace gumption {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

NumberedBlock numbered(std::uint64_t number, std::size_t words) {
  return {number, std::vector<std::uint32_t>(words, 7), 0, 0};
}

TEST(KeptText, HandsOutBlocksInOrder) {
  KeptText kept(5, 1000);
  for (const std::uint64_t number : {2, 0, 3, 1}) kept.add(numbered(number, 10));
  EXPECT_FALSE(kept.is_whole());
  kept.finish({});
  EXPECT_TRUE(kept.is_whole());
  const auto numbers_before = [&](std::uint64_t end) {
    std::vector<std::uint64_t> numbers;
    for (const NumberedBlock& block : kept.take_before(end)) numbers.push_back(block.number);
    return numbers;
  };
  EXPECT_THAT(numbers_before(1), ElementsAre(0));
  EXPECT_THAT(numbers_before(3), ElementsAre(1, 2));
  EXPECT_THAT(numbers_before(9), ElementsAre(3));
  EXPECT_THAT(numbers_before(9), IsEmpty());
}

TEST(KeptText, KeepsNothingOfATextThatIsTooLarge) {
  KeptText kept(5, 100);
  kept.add(numbered(0, 25));
  EXPECT_TRUE(kept.goes_on());
  kept.add(numbered(1, 1));
  EXPECT_FALSE(kept.goes_on());
  kept.add(numbered(2, 1));
  kept.finish({});
  EXPECT_FALSE(kept.is_whole());
  EXPECT_EQ(kept.blocks(), 0);
}

TEST(KeptText, WordsGetTheNumbersOfATable) {
  KeptText kept(5, 100);
  kept.finish({{"ice", "glass"}, {"melted", "ice"}});
  WordTable numbers;
  numbers.add("ice", 1);
  numbers.add("melted", 0);
  EXPECT_THAT(kept.renumbering(numbers, 2), ElementsAre(ElementsAre(1, 2), ElementsAre(0, 1)));
}

TEST(Occurrences, AreThoseInTheStretches) {
  const std::vector<std::uint32_t> tokens = {0, kDocumentEnd, 1, 2, 1, 3, kDocumentEnd, 0, 1, 0};
  const std::vector<TokenRange> stretches = {{2, 6}, {7, 9}};
  for (const std::size_t threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    Occurrences found;
    found.find({}, {}, 3, pool);
    EXPECT_THAT(found.of(2), IsEmpty());
    found.find(tokens, stretches, 3, pool);
    EXPECT_THAT(found.of(0), ElementsAre(7));
    EXPECT_THAT(found.of(1), ElementsAre(2, 4, 8));
    EXPECT_THAT(found.of(2), ElementsAre(3));
  }
}

TEST(RunFile, PiecesComeInTheOrderOfTheirNumbers) {
  const test::TemporaryFolder folder;
  OrderedRun run(folder / "run");
  for (const std::size_t number : {2, 0, 1, 4, 3}) run.add(number, "piece " + std::to_string(number) + "\n");
  EXPECT_EQ(test::read_bytes(folder / "run"), "piece 0\npiece 1\npiece 2\npiece 3\npiece 4\n");
  EXPECT_EQ(sum_of_run(folder / "run"), run.sum());
  std::ofstream(folder / "run", std::ios::app) << "more";
  EXPECT_NE(sum_of_run(folder / "run"), run.sum());
}

TEST(RunFile, ARunThatCannotBeWrittenIsNamed) {
  const test::TemporaryFolder folder;
  EXPECT_THROW(RunWriter(folder / "none/run"), UserError);
  try {
    RunWriter("/dev/full").write("some");
    FAIL() << "a full disk took it";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "/dev/full: can't write it: No space left on device. Free some space.");
  }
}

TEST(Vocabulary, IsTheSameForAnyNumberOfThreads) {
  const test::TemporaryFolder folder;
  RandomStream random(3);
  for (int i = 0; i < 5; ++i) folder.write(std::to_string(i), test::random_text(random, 900));
  const auto files = find_text_files({folder.path()});
  std::vector<std::string> texts;
  for (const std::size_t threads : {1, 2, 7}) {
    ThreadPool pool(threads);
    KeptText kept(5, 1 << 20);
    texts.push_back(to_text(count_words(files, {}, pool, kept)));
    EXPECT_EQ(kept.blocks(), 5);
  }
  EXPECT_EQ(texts[0], texts[1]);
  EXPECT_EQ(texts[0], texts[2]);
}

}  // namespace
}  // namespace gumption
