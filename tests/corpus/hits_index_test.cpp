// Counts of a hit index against a plain search through the words.

#include "gumption/corpus/hits_index.h"

#include <algorithm>
#include <set>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include "gumption/base/error.h"
#include "gumption/base/random.h"
#include "gumption/corpus/hits_shards.h"
#include "gumption/text/words.h"

#include "support/support.h"

namespace gumption {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

using Words = std::vector<std::string>;

bool holds(const Words& document, const std::string& text, HitMatch match) {
  const Words wanted = words_of(text);
  if (wanted.empty()) return false;
  if (match == HitMatch::kPhrase) {
    return std::search(document.begin(), document.end(), wanted.begin(), wanted.end()) != document.end();
  }
  return std::all_of(wanted.begin(), wanted.end(), [&](const std::string& word) {
    return std::find(document.begin(), document.end(), word) != document.end();
  });
}

std::uint64_t brute_force(const std::vector<std::string>& documents, const HitQuery& query) {
  return static_cast<std::uint64_t>(std::count_if(documents.begin(), documents.end(), [&](const std::string& document) {
    const Words words = words_of(document);
    return holds(words, query.first, query.match) && (query.second.empty() || holds(words, query.second, query.match));
  }));
}

std::string random_text(RandomStream& random, std::size_t longest) {
  static const std::vector<std::string> kWords = {"a", "b", "c", "d", "it's", "été", "F"};
  std::string text;
  for (std::size_t left = 1 + random.below(longest); left > 0; --left)
    text += kWords[random.below(kWords.size())] + " ";
  return text;
}

std::unique_ptr<HitCounter> open_one(const fs::path& index) {
  const std::vector<std::string> shards = {index.string()};
  return open_hit_shards(shards, 10);
}

std::string message_of(const std::vector<fs::path>& inputs, const fs::path& out) {
  try {
    build_hit_index(inputs, {}, out);
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

TEST(HitIndex, CountsAsASearchThroughTheWordsDoes) {
  RandomStream random(7, "documents");
  std::vector<std::string> documents;
  std::string lines;
  for (int i = 0; i < 400; ++i) {
    documents.push_back(random_text(random, 25));
    lines += documents.back() + "\n";
  }
  const test::TemporaryFolder folder;
  const std::vector<fs::path> inputs = {folder.write("text", lines)};
  const auto made = build_hit_index(inputs, {.documents = HitDocuments::kLine}, folder / "index");
  EXPECT_EQ(made.documents, 400);
  const auto hits = open_one(folder / "index");
  EXPECT_EQ(hits->total(), 400);
  std::vector<HitQuery> queries;
  for (int i = 0; i < 600; ++i) {
    const std::string second = i % 2 == 0 ? "" : random_text(random, 3);
    queries.push_back({random_text(random, 5), second, i % 3 == 0 ? HitMatch::kWords : HitMatch::kPhrase});
  }
  const auto counts = hits->count(queries);
  std::set<std::uint64_t> different;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    EXPECT_EQ(counts[i], brute_force(documents, queries[i])) << queries[i].first << "+ " << queries[i].second;
    different.insert(counts[i]);
  }
  EXPECT_GT(different.size(), 50);
}

TEST(HitIndex, ThreadsChangeNothingInTheCounts) {
  RandomStream random(8, "documents");
  std::string lines;
  for (int i = 0; i < 60'000; ++i) lines += random_text(random, 25) + "\n";  // a few batches
  const test::TemporaryFolder folder;
  const std::vector<fs::path> inputs = {folder.write("text", lines)};
  build_hit_index(inputs, {.documents = HitDocuments::kLine, .threads = 1}, folder / "one");
  build_hit_index(inputs, {.documents = HitDocuments::kLine, .threads = 3}, folder / "three");
  const std::vector<HitQuery> queries = {{"a", ""}, {"a", "b"}, {"a b c", ""}, {"a b", "c d"}};
  EXPECT_EQ(open_one(folder / "one")->count(queries), open_one(folder / "three")->count(queries));
  EXPECT_EQ(open_one(folder / "three")->total(), 60'000);
}

TEST(HitIndex, TextsWithoutWordsAreNowhere) {
  const test::TemporaryFolder folder;
  const std::vector<fs::path> inputs = {folder.write("text", "a b")};
  build_hit_index(inputs, {}, folder / "index");
  const std::vector<HitQuery> queries = {{"", ""}, {"...", ""}, {"a", "!"}, {"", "a"}, {"A!", "(b)"}};
  EXPECT_THAT(open_one(folder / "index")->count(queries), ElementsAre(0, 0, 0, 0, 1));
}

TEST(HitIndex, LongWordsAreCut) {
  const test::TemporaryFolder folder;
  std::string word;
  for (int i = 0; i < 500; ++i) word += "é";
  const std::vector<fs::path> inputs = {folder.write("text", word + " end")};
  build_hit_index(inputs, {}, folder / "index");
  const std::vector<HitQuery> queries = {{word, ""}, {word + " end", ""}, {"end", word}, {word.substr(0, 100), ""}};
  EXPECT_THAT(open_one(folder / "index")->count(queries), ElementsAre(1, 1, 1, 0));
}

TEST(HitIndex, AppearsWholeOrNotAtAll) {
  const test::TemporaryFolder folder;
  const fs::path good = folder.write("good", "some text");
  const fs::path binary = folder.write("binary", std::string_view("\0\1", 2));
  EXPECT_THAT(message_of({good, binary}, folder / "index"), HasSubstr("binary:1: expected text"));
  EXPECT_FALSE(fs::exists(folder / "index"));
  EXPECT_FALSE(fs::exists(folder / "index.partial"));
  EXPECT_THAT(message_of({folder.write("blank", "\n\n")}, folder / "index"), HasSubstr("expected text to index"));
  EXPECT_FALSE(fs::exists(folder / "index"));
}

TEST(HitIndex, ExistingOnesStay) {
  const test::TemporaryFolder folder;
  const fs::path text = folder.write("text", "some text");
  folder.write("index/mine", "kept");
  EXPECT_THAT(message_of({text}, folder / "index"), HasSubstr("it exists already"));
  EXPECT_EQ(test::read_bytes(folder / "index/mine"), "kept");
}

TEST(HitIndex, TwoBuildsIntoOnePathDontMeet) {
  const test::TemporaryFolder folder;
  const fs::path text = folder.write("text", "some text");
  folder.write("index.partial/part-0-0/left", "by a build that was killed");
  const int other = ::open((folder / "index.partial").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_EQ(::flock(other, LOCK_EX), 0);
  EXPECT_THAT(message_of({text}, folder / "index"), HasSubstr("another build is filling it"));
  EXPECT_TRUE(fs::exists(folder / "index.partial/part-0-0/left"));
  ::close(other);
  EXPECT_EQ(message_of({text}, folder / "index"), "no error");
  EXPECT_FALSE(fs::exists(folder / "index.partial"));
}

}  // namespace
}  // namespace gumption
