// Counting by several processes equals counting by one.

#include <csignal>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "gumption/base/build_info.h"
#include "gumption/base/error.h"
#if GUMPTION_WITH_CLUSTER
#include "gumption/cluster/gloo.h"
#endif
#include "gumption/corpus/asked_counts.h"
#include "gumption/corpus/count_index.h"
#include "gumption/corpus/index_builder.h"

#include "corpus/corpus_support.h"
#include "support/processes.h"
#include "support/support.h"

namespace gumption {
namespace {

namespace fs = std::filesystem;
using test::BruteForce;
using testing::AllOf;
using testing::HasSubstr;

TEST(TextShares, OfTextCutAnywhereAddUp) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    RandomStream random(seed);
    const test::TemporaryFolder texts;
    std::vector<std::string> contents;
    for (int file = 0; file < 3; ++file) {
      contents.push_back(test::random_text(random, random.below(300)));
      texts.write("f" + std::to_string(file), contents.back());
    }
    for (const auto documents : {DocumentEnd::kFile, DocumentEnd::kBlankLine, DocumentEnd::kLine}) {
      CountOptions options;
      options.windows = {1, 3, 20};
      options.text.documents = documents;
      options.threads = 1;
      const BruteForce expected(contents, options.windows, documents);
      const auto files = find_text_files({texts.path()});
      for (const std::size_t parts : {2, 3, 17, 200}) {
        auto sum = count_asked(share_of(files, 0, parts), test::all_pairs(expected), options);
        for (std::size_t part = 1; part < parts; ++part) {
          sum->add(*count_asked(share_of(files, part, parts), test::all_pairs(expected), options));
        }
        test::expect_equal(*sum, expected);
      }
    }
  }
}

TEST(TextShares, RefuseWhatCanBeReadOnlyOnce) {
  try {
    share_of({{"-", 0, 0}}, 0, 2);
    FAIL() << "standard input was shared";
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("standard input"), HasSubstr("--inputs own")));
  }
}

class ClusterCounts : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_feature("cluster")) GTEST_SKIP() << "built without the feature";
#if GUMPTION_WITH_CLUSTER
    use_gloo();
#endif
  }

  static ClusterOptions process(std::size_t rank, std::size_t size, std::uint16_t port) {
    ClusterOptions options;
    options.rank = rank;
    options.size = size;
    options.address = "127.0.0.1";
    options.port = port;
    options.timeout = std::chrono::seconds(60);
    return options;
  }

  /// Builds one index by several processes; inputs_of(rank) are each one's.
  std::vector<test::ChildResult> build(const std::string& name, std::size_t size,
                                       const std::function<std::vector<std::string>(std::size_t)>& inputs_of,
                                       const BuildOptions& options) const {
    const std::uint16_t port = test::free_port();
    return test::run_processes(size, [&](std::size_t rank) {
      ProcessGroup group(process(rank, size, port));
      build_count_index(inputs_of(rank), folder_ / name, options, group);
    });
  }

  std::string bytes_of_one(const std::vector<std::string>& inputs, const BuildOptions& options) const {
    build_count_index(inputs, folder_ / "one", options);
    return test::read_bytes(folder_ / "one");
  }

  void expect_same_bytes(const std::string& name, const std::string& one,
                         const std::vector<test::ChildResult>& results) const {
    for (const auto& result : results) EXPECT_EQ(result.exit_code, 0) << result.error;
    ASSERT_TRUE(fs::exists(folder_ / name));
    EXPECT_TRUE(test::read_bytes(folder_ / name) == one);
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      EXPECT_EQ(entry.path().string().find(".building"), std::string::npos) << entry.path();
    }
  }

  /// Enough for several shards of 1 MB.
  static std::string long_text(std::uint64_t seed) {
    RandomStream random(seed);
    std::string text;
    while (text.size() < 5'000'000) {
      text += "w" + std::to_string(random.below(1 + random.below(3000))) + (random.below(9) == 0 ? ".\n" : " ");
    }
    return text;
  }

  test::TemporaryFolder folder_;
};

TEST_F(ClusterCounts, AnIndexHasTheBytesOfASingleProcess) {
  RandomStream random(3);
  for (int file = 0; file < 4; ++file) {
    folder_.write("texts/f" + std::to_string(file), test::random_text(random, 100 + random.below(3000)));
  }
  for (const auto documents : {DocumentEnd::kFile, DocumentEnd::kBlankLine}) {
    for (const auto form : {WordForm::kWritten, WordForm::kStem}) {
      BuildOptions options;
      options.threads = 2;
      options.windows = "2,7";
      options.text.documents = documents;
      options.words.form = form;
      options.words.min_count = 40;
      options.min_pair_count = 3;
      const std::string texts = folder_ / "texts";
      const std::string one = bytes_of_one({texts}, options);
      for (const std::size_t size : {2, 3}) {
        const auto results = build(
            "several", size, [&](std::size_t) { return std::vector{texts}; }, options);
        expect_same_bytes("several", one, results);
      }
    }
  }
}

TEST_F(ClusterCounts, OwnInputsAreOneTextInTheOrderOfTheProcesses) {
  RandomStream random(4);
  std::vector<std::string> inputs;
  for (int file = 0; file < 3; ++file) {
    inputs.push_back(folder_.write("f" + std::to_string(file), test::random_text(random, 2000)));
  }
  BuildOptions options;
  options.threads = 1;
  const std::string one = bytes_of_one(inputs, options);
  options.inputs = ClusterInputs::kOwn;
  const auto results = build(
      "own", 3, [&](std::size_t rank) { return std::vector{inputs[rank]}; }, options);
  expect_same_bytes("own", one, results);
}

TEST_F(ClusterCounts, AskedPairsAreAddedUpEverywhere) {
  RandomStream random(5);
  const std::string text = test::random_text(random, 4000);
  const std::string path = folder_.write("text", text);
  CountOptions options;
  options.windows = {5, 25};
  options.threads = 1;
  const BruteForce expected({text}, options.windows);
  for (const std::size_t size : {2, 3}) {
    const std::uint16_t port = test::free_port();
    const auto results = test::run_processes(size, [&](std::size_t rank) {
      ProcessGroup group(process(rank, size, port));
      const auto counts = count_asked(find_text_files({path}), test::all_pairs(expected), options, group);
      test::expect_equal(*counts, expected);
      if (testing::Test::HasFailure()) throw std::runtime_error("the counts differ");
    });
    for (const auto& result : results) EXPECT_EQ(result.exit_code, 0) << result.error;
  }
}

TEST_F(ClusterCounts, OneKilledEndsAllAndTheNextStartContinues) {
  const std::string path = folder_.write("long.txt", long_text(6));
  BuildOptions options;
  options.threads = 1;
  options.shard_mb = 1;
  const std::string one = bytes_of_one({path}, options);
  const std::uint16_t port = test::free_port();
  const auto results = test::run_processes(3, [&](std::size_t rank) {
    ProcessGroup group(process(rank, 3, port));
    if (rank == 2) {
      std::thread([&] {
        while (!fs::exists(folder_ / "several.building-2/shard-0")) std::this_thread::yield();
        ::kill(::getpid(), SIGKILL);
      }).detach();
    }
    build_count_index({path}, folder_ / "several", options, group);
  });
  EXPECT_EQ(results[2].exit_code, 128 + SIGKILL);
  for (const std::size_t rank : {0, 1}) {
    EXPECT_EQ(results[rank].exit_code, 1);
    EXPECT_THAT(results[rank].error, HasSubstr("has ended or can't be reached"));
  }
  EXPECT_FALSE(fs::exists(folder_ / "several"));
  EXPECT_TRUE(fs::exists(folder_ / "several.building-1/shard-0"));
  const std::uint16_t again = test::free_port();
  const auto finished = test::run_processes(3, [&](std::size_t rank) {
    ProcessGroup group(process(rank, 3, again));
    const BuildReport report = build_count_index({path}, folder_ / "several", options, group);
    if (report.continued < 3) throw std::runtime_error("finished shards were counted again");
  });
  expect_same_bytes("several", one, finished);
}

TEST_F(ClusterCounts, TextThatChangedSinceAKillIsCountedAnewByAll) {
  const std::vector<std::string> inputs = {folder_.write("a", long_text(7)), folder_.write("b", long_text(8))};
  BuildOptions options;
  options.threads = 1;
  options.shard_mb = 1;
  options.inputs = ClusterInputs::kOwn;
  const std::uint16_t port = test::free_port();
  test::run_processes(2, [&](std::size_t rank) {
    ProcessGroup group(process(rank, 2, port));
    if (rank == 1) {
      std::thread([&] {
        while (!fs::exists(folder_ / "several.building-1/shard-2")) std::this_thread::yield();
        ::kill(::getpid(), SIGKILL);
      }).detach();
    }
    build_count_index({inputs[rank]}, folder_ / "several", options, group);
  });
  ASSERT_TRUE(fs::exists(folder_ / "several.building/shard-0"));
  // Only the second process's text changes, but the numbers of the words do so for both.
  folder_.write("b", "another beginning " + long_text(9));
  const std::string one = bytes_of_one(inputs, options);
  expect_same_bytes("several", one,
                    build(
                        "several", 2, [&](std::size_t rank) { return std::vector{inputs[rank]}; }, options));
}

TEST_F(ClusterCounts, OtherOptionsInOneProcessAreRefused) {
  const std::string path = folder_.write("text", "ice melted");
  const std::uint16_t port = test::free_port();
  const auto results = test::run_processes(2, [&](std::size_t rank) {
    ProcessGroup group(process(rank, 2, port));
    BuildOptions options;
    if (rank == 1) options.windows = "7";
    build_count_index({path}, folder_ / "several", options, group);
  });
  for (const auto& result : results) {
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.error, HasSubstr("Process 1 has other inputs or options"));
  }
  EXPECT_FALSE(fs::exists(folder_ / "several"));
}

}  // namespace
}  // namespace gumption
