#include "gumption/corpus/text_blocks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gumption/base/error.h"

#include "corpus/corpus_support.h"
#include "support/shell.h"
#include "support/support.h"

namespace gumption {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string all_text(const std::vector<std::string>& inputs, std::size_t block = TextBlockReader::kBlock,
                     const TextOptions& options = {}) {
  TextBlockReader reader(find_text_files(inputs), options, 3, "reading", block);
  std::string all;
  TextBlock piece;
  while (reader.next(piece)) all += piece.own();
  return all;
}

std::string complaint_about(const std::vector<std::string>& inputs, std::size_t block = TextBlockReader::kBlock,
                            const TextOptions& options = {}) {
  try {
    all_text(inputs, block, options);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(TextFiles, FoldersPatternsAndFiles) {
  const test::TemporaryFolder folder;
  folder.write("b/2.txt", "2");
  folder.write("b/1.txt", "1");
  folder.write("b/deep/3.txt", "3");
  folder.write("b/.hidden", "h");
  folder.write("a.txt", "a");
  EXPECT_EQ(all_text({folder / "b", folder / "a.txt"}), "123a");
  EXPECT_EQ(all_text({folder / "b/*.txt"}), "12");
  EXPECT_THAT(complaint_about({folder / "c*.txt"}), HasSubstr("c*.txt: expected a file"));
  std::filesystem::create_directory(folder / "empty");
  EXPECT_THAT(complaint_about({folder / "empty"}), HasSubstr("found none"));
}

TEST(TextBlocks, OwnTextIsTheWholeTextAndOverlapReachesBack) {
  const test::TemporaryFolder folder;
  const std::string text = "one two three, four-five six seven eight nine ten eleven twelve";
  const auto path = folder.write("t.txt", text);
  for (const std::size_t block : {8, 13, 20, 1000}) EXPECT_EQ(all_text({path}, block), text);
  TextBlockReader reader(find_text_files({path}), {}, 2, "reading", 20);
  TextBlock piece;
  ASSERT_TRUE(reader.next(piece));
  EXPECT_EQ(piece.own(), "one two three, four-");
  EXPECT_EQ(piece.overlap(), "");
  ASSERT_TRUE(reader.next(piece));
  EXPECT_EQ(piece.number(), 1);
  EXPECT_THAT(std::string(piece.overlap()), testing::EndsWith("three, four-"));
}

TEST(TextBlocks, EmptyFilesAreFine) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(all_text({folder.write("e", ""), folder.write("t", "x"), folder.write("f", "")}), "x");
}

TEST(TextBlocks, PackedFilesGiveAllTheirMembers) {
  const test::TemporaryFolder folder;
  folder.write("in/one.txt", "one ");
  folder.write("in/two.txt", "two ");
  const std::string packing = "tar czf all.tgz in/one.txt in/two.txt && gzip -k in/one.txt";
  ASSERT_EQ(test::run("sh", {"-c", packing}, {"", {}, folder.path()}).exit_code, 0);
  EXPECT_EQ(all_text({folder / "all.tgz", folder / "in/one.txt.gz"}), "one two one ");
}

TEST(TextBlocks, ArchiveThatEndsEarlyIsRefused) {
  const test::TemporaryFolder folder;
  RandomStream random(1);
  const auto path = folder.write("t.txt", test::random_text(random, 40'000));
  ASSERT_EQ(test::run("gzip", {"-k", path.string()}).exit_code, 0);
  const std::string packed = test::read_bytes(path.string() + ".gz");
  const auto cut = folder.write("cut.gz", packed.substr(0, packed.size() / 2));
  EXPECT_THAT(complaint_about({cut}), HasSubstr("cut.gz: can't be unpacked"));
}

TEST(TextBlocks, BinaryFilesAreRefused) {
  const test::TemporaryFolder folder;
  const auto path = folder.write("b.bin", std::string("some text \0 more", 16));
  EXPECT_THAT(complaint_about({path}), HasSubstr("b.bin: expected text in UTF-8, found a NUL byte at offset 10"));
}

TEST(TextBlocks, InvalidUtf8SeparatesOrIsRefused) {
  const test::TemporaryFolder folder;
  const auto path = folder.write("l1.txt", "caf\xE9 noir");
  EXPECT_EQ(all_text({path}), "caf\xE9 noir");
  TextOptions refuse;
  refuse.invalid = InvalidText::kRefuse;
  EXPECT_THAT(complaint_about({path}, TextBlockReader::kBlock, refuse),
              HasSubstr("l1.txt: expected text in UTF-8, found other bytes at offset 3"));
}

TEST(TextBlocks, CutsAtSignsOfOtherScriptsAndRefusesEndlessWords) {
  const test::TemporaryFolder folder;
  std::string chinese;
  for (int i = 0; i < 50; ++i) chinese += "日本語。";
  EXPECT_EQ(all_text({folder.write("c.txt", chinese)}, 40), chinese);
  EXPECT_THAT(complaint_about({folder.write("x.txt", std::string(100, 'x'))}, 40),
              HasSubstr("found 40 bytes without an end of a word"));
}

}  // namespace
}  // namespace gumption
