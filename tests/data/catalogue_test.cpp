#include "gumption/data/catalogue.h"

#include <cstdlib>
#include <regex>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data_support.h"
#include "support/http_server.h"
#include "support/shell.h"
#include "support/support.h"

namespace gumption {
namespace {

using test::HttpRequest;
using test::HttpServer;
using testing::HasSubstr;

TEST(Catalogue, EntriesAreWellFormed) {
  std::set<std::string> names;
  const std::regex sum("[0-9a-f]{64}");
  for (const Benchmark& benchmark : benchmarks()) {
    EXPECT_TRUE(names.insert(benchmark.name).second) << benchmark.name;
    EXPECT_FALSE(benchmark.files.empty());
    for (const RemoteFile& file : benchmark.files) {
      EXPECT_TRUE(file.url.starts_with("https://") || file.url.starts_with("http://")) << file.url;
      if (!file.sha256.empty()) {
        EXPECT_TRUE(std::regex_match(file.sha256, sum)) << file.url;
      }
      EXPECT_TRUE(file.whole_tree || !file.members.empty() || !file.save_as.empty()) << file.url;
    }
  }
  EXPECT_THAT(test::user_error_of([] { benchmark("social-qa"); }), HasSubstr("Did you mean social-iqa?"));
}

TEST(Catalogue, FoldersComeFromTheEnvironment) {
  const test::TemporaryFolder folder;
  folder.write("copa/copa-dev.xml", "x");
  ::setenv("GUMPTION_DATA", ("/nowhere:" + folder.path().string()).c_str(), 1);
  ::setenv("XDG_DATA_HOME", "/home-of-data", 1);
  EXPECT_THAT(data_folders(), testing::ElementsAre("/nowhere", folder.path(), "/home-of-data/gumption"));
  EXPECT_THAT(find_benchmark("copa"), testing::ElementsAre(folder / "copa"));
  EXPECT_EQ(find_data_file("copa/copa-dev.xml"), folder / "copa/copa-dev.xml");
  EXPECT_EQ(find_data_file("copa/absent.xml"), "copa/absent.xml");
  ::unsetenv("GUMPTION_DATA");
  ::unsetenv("XDG_DATA_HOME");
}

TEST(Catalogue, AFileWithAWrongSumIsRefused) {
  const test::TemporaryFolder folder;
  const std::string bytes(485130, 'x');
  const HttpServer server([&](const HttpRequest& request) { return test::serve_bytes(request, bytes); });
  const std::string message = test::user_error_of([&] {
    pull_benchmark("codah", {server.address(), folder.path().string()});
  });
  EXPECT_THAT(message, HasSubstr("expected SHA-256 96689f2abf2f09eb"));
  EXPECT_EQ(server.requests().at(0).path, "/full_data.tsv");
  EXPECT_FALSE(std::filesystem::exists(folder / "codah/full_data.tsv"));
}

TEST(Catalogue, PullsTheRealFileFromAMirrorOnce) {
  GUMPTION_NEEDS_SHARED(path, "data/codah/full_data.tsv");
  const test::TemporaryFolder folder;
  const std::string bytes = test::read_bytes(path);
  const HttpServer server([&](const HttpRequest& request) { return test::serve_bytes(request, bytes); });
  const PullOptions options{server.address(), folder.path().string()};
  const auto paths = pull_benchmark("codah", options);
  EXPECT_THAT(paths, testing::ElementsAre(folder / "codah/full_data.tsv"));
  EXPECT_EQ(test::read_bytes(paths[0]), bytes);
  pull_benchmark("codah", options);
  EXPECT_EQ(server.requests().size(), 1U);
  folder.write("codah/full_data.tsv", "spoilt");
  EXPECT_THAT(test::user_error_of([&] { pull_benchmark("codah", options); }),
              HasSubstr("expected 485130 bytes, found 6"));
}

}  // namespace
}  // namespace gumption
