#include "gumption/data/dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data_support.h"
#include "support/support.h"

namespace gumption {
namespace {

TEST(Dataset, KnowsWhereItsQuestionsCameFrom) {
  const test::TemporaryFolder folder;
  const std::vector<std::filesystem::path> paths = {
      folder.write("a.jsonl", "{\"choices\":[\"x\",\"y\"]}\n{\"choices\":[\"z\",\"w\"]}\n"),
      folder.write("b.tsv", "o\tP\ta\tb\tc\td\t0\n")};
  const Dataset dataset = read_dataset(paths);
  EXPECT_EQ(dataset.questions.size(), 3U);
  ASSERT_EQ(dataset.sources.size(), 2U);
  EXPECT_EQ(dataset.sources[0].format, "native");
  EXPECT_EQ(dataset.sources[0].questions, 2U);
  EXPECT_EQ(dataset.sources[1].format, "codah");
}

TEST(Dataset, SharedIdsGetTheirFilesName) {
  const test::TemporaryFolder folder;
  const std::vector<std::filesystem::path> paths = {folder.write("a.tsv", "o\tP\ta\tb\tc\td\t0\n"),
                                                    folder.write("b.tsv", "o\tP\ta\tb\tc\td\t0\n")};
  Dataset dataset = read_dataset(paths);
  make_ids_unique(dataset);
  EXPECT_EQ(dataset.questions[0].id, "a-1");
  EXPECT_EQ(dataset.questions[1].id, "b-1");
}

TEST(Dataset, LimitTakesTheFirst) {
  const test::TemporaryFolder folder;
  const auto path = folder.write("a.jsonl", "{\"choices\":[\"x\",\"y\"]}\n{\"choices\":[\"z\",\"w\"]}\nbroken\n");
  ReadOptions options;
  options.limit = 2;
  EXPECT_EQ(read_dataset(path, options).questions.size(), 2U);
  options.limit = 3;
  EXPECT_THROW(read_dataset(path, options), UserError);
}

}  // namespace
}  // namespace gumption
