#include "gumption/corpus/count_index.h"

#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include "gumption/base/error.h"
#include "gumption/base/file_lock.h"
#include "gumption/corpus/index_builder.h"
#include "gumption/corpus/open_counts.h"

#include "corpus/corpus_support.h"
#include "support/support.h"

namespace gumption {
namespace {

using test::BruteForce;
using testing::ElementsAre;
using testing::HasSubstr;

std::string complaint_about(const std::string& bytes) {
  try {
    const CountIndex index(bytes, "some.counts");
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

class CountIndexFile : public testing::Test {
 protected:
  std::string build(const std::string& name, const std::vector<std::string>& inputs, const BuildOptions& options) {
    report_ = build_count_index(inputs, folder_ / name, options);
    return test::read_bytes(folder_ / name);
  }

  test::TemporaryFolder folder_;
  BuildReport report_;
};

TEST_F(CountIndexFile, EqualsBruteForceOnRandomText) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    RandomStream random(seed);
    const test::TemporaryFolder texts;
    std::vector<std::string> contents;
    for (int file = 0; file < 3; ++file) {
      contents.push_back(test::random_text(random, random.below(700)));
      texts.write("f" + std::to_string(file), contents.back());
    }
    for (const auto documents : {DocumentEnd::kFile, DocumentEnd::kBlankLine, DocumentEnd::kLine}) {
      BuildOptions options;
      options.windows = seed % 2 == 0 ? "5,25,50" : "1,3";
      options.text.documents = documents;
      options.threads = seed;
      build("i", {texts.path()}, options);
      const CountIndex index(folder_ / "i");
      index.check_rows();
      test::expect_equal(index, BruteForce(contents, parse_windows(options.windows), documents));
      EXPECT_FALSE(std::filesystem::exists(folder_ / "i.building"));
    }
  }
}

/// Enough text for several shards of 1 MB.
std::string long_text() {
  RandomStream random(9);
  std::string text;
  while (text.size() < 3'500'000) {
    const std::uint64_t rank = random.below(1 + random.below(5000));
    text += "w" + std::to_string(rank) + (random.below(9) == 0 ? ".\n" : " ");
  }
  return text;
}

TEST_F(CountIndexFile, BytesDependNeitherOnThreadsNorOnShards) {
  const auto path = folder_.write("long.txt", long_text());
  BuildOptions options;
  options.threads = 1;
  const std::string one = build("one", {path}, options);
  EXPECT_EQ(report_.shards, 1);
  options.threads = 3;
  options.shard_mb = 1;
  const std::string many = build("many", {path}, options);
  EXPECT_EQ(report_.shards, 4);
  EXPECT_TRUE(one == many);
  const CountIndex index(folder_ / "many");
  const std::vector<WordPair> pairs = {{"w0", "w1"}, {"w3", "w3"}, {"w1200", "w7"}};
  const auto asked = count_asked(find_text_files({path}), pairs, {});
  for (const auto& [x, y] : pairs) EXPECT_EQ(index.count_of(x, y), asked->count_of(x, y)) << x << " " << y;
}

TEST_F(CountIndexFile, BytesDependNotOnWhetherTheTextIsReadTwice) {
  RandomStream random(4);
  std::string text;
  while (text.size() < 2'200'000) {
    text += static_cast<char>('a' + random.below(26));
    text += random.below(200) == 0 ? "\n\n" : " ";
  }
  const auto path = folder_.write("letters.txt", text);
  for (const auto documents : {DocumentEnd::kFile, DocumentEnd::kBlankLine}) {
    BuildOptions options;
    options.text.documents = documents;
    const std::string kept = build("kept", {path}, options);
    options.shard_mb = 1;  // of words this short, it allows to keep less than the text
    EXPECT_TRUE(build("read", {path}, options) == kept);
  }
}

/// No file can grow over a size, as on a full disk, as long as it lives.
class SmallDisk {
 public:
  explicit SmallDisk(std::size_t size) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small = {size, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

TEST_F(CountIndexFile, FullDiskLeavesNoIndexAndTheNextBuildGoesOn) {
  const auto path = folder_.write("long.txt", long_text());
  BuildOptions options;
  options.shard_mb = 1;
  options.threads = 3;
  const std::string whole = build("whole", {path}, options);
  try {
    const SmallDisk disk(whole.size() - 1000);
    build("late", {path}, options);
    FAIL() << "the merge went well";
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("late: can't write it"));
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "late"));
  // As if it had been killed before the last shard was finished.
  std::filesystem::remove(folder_ / "late.building/shard-3");
  // As if the computer had lost power before a run was on the disk.
  std::filesystem::resize_file(folder_ / "late.building/shard-1-run-0", 1000);
  options.threads = 2;
  EXPECT_TRUE(build("late", {path}, options) == whole);
  EXPECT_EQ(report_.continued, 2);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "late.building"));
}

TEST_F(CountIndexFile, AnotherPlanStartsAnew) {
  const auto path = folder_.write("t.txt", "ice melted");
  folder_.write("i.building/plan", "of another build");
  folder_.write("i.building/vocabulary", "1 1 1\nwrong 1\n");
  build("i", {path}, {});
  EXPECT_EQ(CountIndex(folder_ / "i").count_of("ice"), 1);
}

TEST_F(CountIndexFile, OptionsShapeTheWords) {
  const auto path = folder_.write("t.txt", "the dogs barked and a dog barks, the dogs bark; cats");
  BuildOptions options;
  options.words.form = WordForm::kStem;
  options.words.drop_stop_words = true;
  options.words.min_count = 2;
  options.min_pair_count = 3;
  build("i", {path}, options);
  const CountIndex index(folder_ / "i");
  EXPECT_EQ(index.word_count(), 2);  // dog, bark
  EXPECT_EQ(index.count_of("dogs"), 3);
  EXPECT_EQ(index.count_of("cats"), 0);
  EXPECT_EQ(index.count_of("the"), 0);
  // dog: 2, 6, 9; bark: 3, 7, 10.
  EXPECT_THAT(index.count_of("dog", "barking"), ElementsAre(5, 6, 6));
  EXPECT_THAT(index.count_of("bark", "dog"), ElementsAre(2, 3, 3));
  EXPECT_EQ(nlohmann::json::parse(index.manifest())["form"], "stem");
}

TEST_F(CountIndexFile, EmptyTextGivesAnEmptyIndex) {
  build("i", {folder_.write("e.txt", "")}, {});
  const CountIndex index(folder_ / "i");
  EXPECT_EQ(index.word_count(), 0);
  EXPECT_THAT(index.count_of("a", "b"), ElementsAre(0, 0, 0));
}

TEST_F(CountIndexFile, ForeignNewerTruncatedAndDamagedFilesAreRefused) {
  const std::string good = build("i", {folder_.write("t.txt", "ice melted in the glass")}, {});
  EXPECT_EQ(complaint_about(good), "");
  EXPECT_THAT(complaint_about("PK\x03\x04"),
              HasSubstr("some.counts: expected a count index of gumption, found another"));
  std::string newer = good;
  newer[8] = 2;
  EXPECT_THAT(complaint_about(newer), HasSubstr("found one of version 2, where this program knows version 1"));
  for (std::size_t size = 8; size < good.size(); ++size) EXPECT_NE(complaint_about(good.substr(0, size)), "") << size;
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string damaged = good;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    if (at >= 12 && at < 16) continue;  // not used
    try {
      const CountIndex index(damaged, "some.counts");
      EXPECT_THROW(index.check_rows(), UserError) << at;
      index.count_of("ice", "melted");  // whatever it says, it stays inside the file
    } catch (const UserError&) {
    }
  }
}

TEST_F(CountIndexFile, TwoBuildsIntoOnePathAreRefused) {
  const auto path = folder_.write("t.txt", "ice");
  std::filesystem::create_directory(folder_ / "i.building");
  const FileLock other(folder_ / "i.building/lock", folder_ / "i");
  try {
    build("i", {path}, {});
    FAIL() << "was not refused";
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("another process is writing it"));
  }
}

}  // namespace
}  // namespace gumption
