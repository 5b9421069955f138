#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/http_server.h"
#include "support/shell.h"
#include "support/support.h"

namespace gumption {
namespace {

namespace fs = std::filesystem;
using test::gumption;
using testing::HasSubstr;

class DataCommands : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) { return folder_.write(name, text).string(); }
  test::TemporaryFolder folder_;
};

TEST_F(DataCommands, CheckHasTheContractsKeysAndExitCodes) {
  const auto path = write("a.jsonl", "{\"choices\":[\"x\",\"X\"]}\nbroken\n");
  const auto plain = gumption({"data", "check", path, "--json"});
  EXPECT_EQ(plain.exit_code, 0) << plain.err;
  const auto json = nlohmann::json::parse(plain.out);
  ASSERT_EQ(json["findings"].size(), 2U);
  EXPECT_EQ(json["findings"][0]["kind"], "bad-row");
  EXPECT_EQ(json["findings"][0]["file"], path);
  EXPECT_EQ(json["findings"][0]["line"], 2);
  EXPECT_TRUE(json["findings"][0]["message"].is_string());
  EXPECT_EQ(json["summary"]["repeated-choice"], 1);
  EXPECT_EQ(gumption({"data", "check", path, "--strict"}).exit_code, 1);
  EXPECT_EQ(
      gumption({"data", "check", path, "--strict", "--ignore", "bad-row", "--ignore", "repeated-choice"}).exit_code, 0);
  EXPECT_EQ(gumption({"data", "check", path + ".absent"}).exit_code, 1);
}

TEST_F(DataCommands, ConvertThereAndBack) {
  const auto sample = (test::source_folder() / "samples/copa-style.jsonl").string();
  const auto xml = (folder_ / "copa.xml").string();
  const auto back = (folder_ / "back.jsonl").string();
  ASSERT_EQ(gumption({"data", "convert", sample, "--to", "copa-xml", "--out", xml}).exit_code, 0);
  ASSERT_EQ(gumption({"data", "convert", xml, "--to", "native", "--out", back}).exit_code, 0);
  EXPECT_EQ(nlohmann::json::parse(gumption({"data", "stats", back, "--json"}).out)["files"][0]["asks_for"]["cause"],
            32);
  EXPECT_EQ(test::read_bytes(back), test::read_bytes(sample));
}

TEST_F(DataCommands, ConvertSaysWhichLabelsItUsed) {
  write("dev-labels.lst", "2\n");
  const auto path = write("dev.jsonl", R"({"context":"c","question":"q","answerA":"a","answerB":"b","answerC":"c"})");
  const auto result = gumption({"data", "convert", path});
  EXPECT_THAT(result.err, HasSubstr("come from " + (folder_ / "dev-labels.lst").string()));
  EXPECT_THAT(result.out, HasSubstr("\"label\":1"));
  EXPECT_EQ(gumption({"data", "convert", path, "--quiet"}).err, "");
}

TEST_F(DataCommands, ConvertEvents) {
  const auto path = write("e.tsv", "PersonX pays @@ xNeed\tmoney\n");
  const auto result = gumption({"data", "convert", path, "--to", "native-events"});
  EXPECT_EQ(result.out, "{\"event\":\"PersonX pays\",\"inferences\":{\"xNeed\":[\"money\"]}}\n");
  EXPECT_THAT(gumption({"data", "stats", path}).out, HasSubstr("1 distinct events"));
  EXPECT_THAT(gumption({"data", "stats", path, "--format", "atomic-2020"}).out, HasSubstr("1 distinct events"));
  const auto two = write("two.tsv", "PersonX pays @@ xNeed\tmoney\nPersonX naps @@ xNeed\ta bed\n");
  EXPECT_THAT(gumption({"data", "stats", two, "--limit", "1"}).out, HasSubstr("1 rows"));
}

TEST_F(DataCommands, SplitWritesAFolder) {
  const auto sample = (test::source_folder() / "samples/codah-style.jsonl").string();
  const auto out = (folder_ / "folds").string();
  const auto result = gumption({"data", "split", sample, "--folds", "3", "--out", out, "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(nlohmann::json::parse(result.out)["parts"]["fold-2"], 22);
  for (const char* name : {"fold-0.jsonl", "fold-1.jsonl", "fold-2.jsonl", "manifest.json"}) {
    EXPECT_TRUE(fs::exists(fs::path(out) / name)) << name;
  }
  EXPECT_EQ(gumption({"data", "split", sample, "--folds", "3", "--out", out}).exit_code, 1);
}

TEST_F(DataCommands, ShowOneQuestion) {
  const auto sample = (test::source_folder() / "samples/codah-style.jsonl").string();
  EXPECT_THAT(gumption({"data", "show", sample, "--id", "codah-007"}).out, testing::StartsWith("codah-007"));
  EXPECT_EQ(gumption({"data", "show", sample, "--id", "none"}).exit_code, 1);
}

TEST_F(DataCommands, ListAndPull) {
  const std::string data = "GUMPTION_DATA=" + folder_.path().string();
  const test::HttpServer server([](const test::HttpRequest&) {
    return test::HttpReply{404, {}, "", std::string::npos, std::string::npos};
  });
  const auto pulled =
      gumption({"data", "pull", "dpr", "--from", server.address()}, {.input = {}, .environment = {data}, .folder = {}});
  EXPECT_EQ(pulled.exit_code, 1);
  EXPECT_THAT(pulled.err, HasSubstr("the server answered 404"));
  EXPECT_EQ(gumption({"data", "pull", "cpa"}).exit_code, 1);
  folder_.write("copa/copa-dev.xml", "x");
  const auto listed = nlohmann::json::parse(
      gumption({"data", "list", "--json"}, {.input = {}, .environment = {data}, .folder = {}}).out);
  EXPECT_EQ(listed[0]["name"], "copa");
  EXPECT_EQ(listed[0]["found"][0], (folder_ / "copa").string());
}

TEST_F(DataCommands, OfflineIsSaidAtOnce) {
  const auto result =
      gumption({"data", "pull", "codah", "--from", "http://127.0.0.1:9"},
               {.input = {}, .environment = {"GUMPTION_DATA=" + folder_.path().string()}, .folder = {}});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("Is this machine online?"));
}

}  // namespace
}  // namespace gumption
