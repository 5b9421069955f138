#include "gumption/corpus/hits_documents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gumption/base/error.h"

#include "support/support.h"

namespace gumption {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> documents_of(const fs::path& file, HitDocuments documents) {
  std::vector<std::string> found;
  for_each_document(file, documents, [&](const HitDocument& document) { found.emplace_back(document.text); });
  return found;
}

TEST(HitDocuments, EndWhereTheOptionSays) {
  const test::TemporaryFolder folder;
  const auto file = folder.write("a.txt", "one\ntwo\r\n \t\n\nthree\n");
  EXPECT_THAT(documents_of(file, HitDocuments::kFile), ElementsAre("one\ntwo\nthree\n"));
  EXPECT_THAT(documents_of(file, HitDocuments::kBlankLine), ElementsAre("one\ntwo\n", "three\n"));
  EXPECT_THAT(documents_of(file, HitDocuments::kLine), ElementsAre("one", "two", "three"));
}

TEST(HitDocuments, BlankFilesHoldNone) {
  const test::TemporaryFolder folder;
  for (const auto documents : {HitDocuments::kFile, HitDocuments::kBlankLine, HitDocuments::kLine}) {
    EXPECT_THAT(documents_of(folder.write("empty", ""), documents), ElementsAre());
    EXPECT_THAT(documents_of(folder.write("blank", "\n \n"), documents), ElementsAre());
  }
}

TEST(HitDocuments, BinaryFilesAreRefused) {
  const test::TemporaryFolder folder;
  const auto file = folder.write("program", std::string("ELF\nx\0y\n", 8));
  try {
    documents_of(file, HitDocuments::kLine);
    FAIL() << "took a binary file";
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("program:2: expected text"));
  }
}

TEST(HitDocuments, FoldersGiveTheirFilesInOrder) {
  const test::TemporaryFolder folder;
  folder.write("in/b.txt", "b");
  folder.write("in/a/c.txt", "c");
  folder.write("in/.hidden/d.txt", "d");
  folder.write("in/.e", "e");
  const fs::path file = folder.write("f.txt", "f");
  const std::vector<fs::path> inputs = {file, folder / "in"};
  EXPECT_THAT(text_files(inputs), ElementsAre(file, folder / "in/a/c.txt", folder / "in/b.txt"));
}

TEST(HitDocuments, MissingAndEmptyFoldersAreRefused) {
  const test::TemporaryFolder folder;
  fs::create_directory(folder / "empty");
  const std::vector<fs::path> missing = {folder / "missing"};
  const std::vector<fs::path> empty = {folder / "empty"};
  EXPECT_THROW(text_files(missing), UserError);
  EXPECT_THROW(text_files(empty), UserError);
}

}  // namespace
}  // namespace gumption
