#include "gumption/text/vocabulary_training.h"

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gumption/base/error.h"
#include "gumption/base/random.h"
#include "gumption/text/tokenizer_files.h"
#include "gumption/text/word_counts.h"

#include "support/support.h"

namespace gumption {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::filesystem::path> small_text() { return {test::source_folder() / "tests/text/fixtures/training.txt"}; }

std::string merges_text(const TrainedVocabulary& trained) {
  std::string text;
  for (const MergeRule& merge : trained.merges) text += merge.left + " " + merge.right + "\n";
  return text;
}

// a ##a ##b three times, a ##b twice: (a, ##a) and (##a, ##b) occur three times each, and the older symbols go first.
TEST(VocabularyTraining, CountsByHand) {
  const test::TemporaryFolder folder;
  const auto file = folder.write("text", "aab aab aab\nab ab\n");
  TrainingOptions options{.kind = VocabularyKind::kWordPiece, .vocabulary_size = 64};
  const TrainedVocabulary trained = train_vocabulary({file}, options);
  EXPECT_THAT(trained.tokens,
              ElementsAre("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "b", "##a", "##b", "aa", "aab", "ab"));
  EXPECT_EQ(merges_text(trained), "a ##a\naa ##b\na ##b\n");
}

// fixtures/make_tokenizers.py trained these merges with Hugging Face's trainer on the same file.
TEST(VocabularyTraining, ByteMergesAreTheReferences) {
  const TrainingOptions options{.kind = VocabularyKind::kByteBpe, .vocabulary_size = 700, .minimum_count = 0};
  const auto expected = test::read_bytes(test::source_folder() / "tests/text/fixtures/tokenizers/bytes/merges.txt");
  EXPECT_EQ("#version: 0.2\n" + merges_text(train_vocabulary(small_text(), options)), expected);
}

/// Files of several blocks, with more different words than are held.
std::filesystem::path big_text(const test::TemporaryFolder& folder) {
  RandomStream random(3);
  std::string text;
  while (text.size() < 12000000) {
    for (std::uint64_t left = 1 + random.below(9); left > 0; --left) {
      const std::uint64_t range = std::uint64_t{1} << (1 + random.below(20));
      text += fmt::format("w{} ", random.below(range));
    }
    text += "\n";
  }
  return folder.write("big", text);
}

TEST(VocabularyTraining, DoesNotDependOnThreads) {
  const test::TemporaryFolder folder;
  const std::vector<std::filesystem::path> files = {big_text(folder), small_text()[0]};
  for (const auto kind : {VocabularyKind::kWordPiece, VocabularyKind::kByteBpe}) {
    TrainingOptions options{.kind = kind, .vocabulary_size = 600, .most_words = 50000, .threads = 1};
    const TrainedVocabulary one = train_vocabulary(files, options);
    options.threads = 3;
    const TrainedVocabulary three = train_vocabulary(files, options);
    EXPECT_EQ(one.tokens, three.tokens);
    EXPECT_EQ(merges_text(one), merges_text(three));
    EXPECT_EQ(one.tokens.size(), 600U);
  }
}

TEST(VocabularyTraining, WhatIsWrittenLoads) {
  const test::TemporaryFolder folder;
  const std::string text = "She put the ice away, because it's melting.";
  TrainingOptions options{.kind = VocabularyKind::kByteBpe, .vocabulary_size = 500};
  write_vocabulary(train_vocabulary(small_text(), options), folder / "bytes");
  const auto bytes = load_tokenizer(folder / "bytes");
  EXPECT_EQ(bytes->vocabulary().size(), 500U);
  EXPECT_EQ(bytes->decode(bytes->encode(text)), text);
  EXPECT_THAT(bytes->encode("<|endoftext|>"), ElementsAre(0));

  options = {.kind = VocabularyKind::kWordPiece, .vocabulary_size = 500, .cased = true};
  write_vocabulary(train_vocabulary(small_text(), options), folder / "cased/deep");
  const auto cased = load_tokenizer(folder / "cased/deep");
  EXPECT_EQ(cased->vocabulary().size(), 500U);
  EXPECT_THAT(cased->decode(cased->encode(text)), HasSubstr("She put the ice away"));
}

TEST(VocabularyTraining, BadTextIsReplacedOrRefused) {
  const test::TemporaryFolder folder;
  const auto file = folder.write("text",
                                 "fine\nb\xFF"
                                 "d\n");
  TrainingOptions options{.kind = VocabularyKind::kByteBpe, .vocabulary_size = 300};
  EXPECT_NO_THROW(train_vocabulary({file}, options));
  options.invalid = InvalidUtf8::kRefuse;
  try {
    train_vocabulary({file}, options);
    FAIL() << "nothing was refused";
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("position 6"));
  }
}

TEST(VocabularyTraining, RefusesWhatCannotWork) {
  const test::TemporaryFolder folder;
  const auto empty = folder.write("empty", "");
  EXPECT_THROW(train_vocabulary({empty}, {}), UserError);
  EXPECT_THROW(train_vocabulary({}, {}), UserError);
  EXPECT_THROW(train_vocabulary({folder / "absent"}, {}), UserError);
  EXPECT_THROW(train_vocabulary(small_text(), {.kind = VocabularyKind::kByteBpe, .vocabulary_size = 200}), UserError);
}

TEST(WordCounts, ForgetsTheRarest) {
  WordCounts counts;
  counts.add("a", 3);
  counts.add("b", 1);
  counts.add("c", 2);
  counts.add("d", 1);
  counts.add("c");
  counts.keep_commonest(3);
  const auto words = counts.sorted();
  ASSERT_EQ(words.size(), 2U);
  EXPECT_EQ(words[0].word, "a");
  EXPECT_EQ(words[1].word, "c");
  EXPECT_EQ(words[1].count, 3U);
}

}  // namespace
}  // namespace gumption
