// Exit codes, streams and messages of the program.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/shell.h"
#include "support/support.h"

namespace gumption {
namespace {

using test::gumption;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Program, Version) {
  const auto plain = gumption({"--version"});
  EXPECT_EQ(plain.exit_code, 0);
  EXPECT_THAT(plain.out, testing::StartsWith("gumption "));
  const auto json = nlohmann::json::parse(gumption({"--version", "--json"}).out);
  EXPECT_EQ("gumption " + json["version"].get<std::string>() + "\n", plain.out);
}

TEST(Program, WrongUsageIsTwo) {
  const auto check = [](const std::vector<std::string>& arguments, const std::string& message) {
    const auto result = gumption(arguments);
    EXPECT_EQ(result.exit_code, 2) << message;
    EXPECT_THAT(result.out, IsEmpty());
    EXPECT_THAT(result.err, HasSubstr(message));
  };
  check({}, "Usage: gumption");
  check({"data"}, "Usage: gumption data");
  check({"evil"}, "Did you mean eval?");
  check({"data", "chekc", "a.jsonl"}, "Did you mean check?");
  check({"evil", "x", "--system", "first"}, "\"evil\" is not known here");
  check({"data", "show", "x", "y", "--limt", "3"}, "Did you mean --limit?");
  check({"eval", "--sytem", "first"}, "Did you mean --system?");
  check({"eval", "--system", "fist", "--data", "x"}, "Did you mean first?");
  check({"eval", "--system", "first"}, "--data is required");
  check({"eval", "--data", "x"}, "--system or --model is required");
  check({"eval", "--system", "random", "--data", "x", "--set", "sed=1"}, "Did you mean seed?");
  check({"eval", "--system", "random", "--data", "x", "--limit", "many"}, "--limit: expected a whole number");
  check({"eval", "--system", "random", "--system", "first", "--data", "x"}, "--system");
  check({"data", "check"}, "FILES is required");
  check({"data", "split", "x"}, "--out is required");
}

TEST(Program, InputAtFaultIsOneAndOneLine) {
  const test::TemporaryFolder folder;
  const auto broken = folder.write("x.jsonl", "{\"choices\":[\"a\",\"b\"],\"label\":0}\n{\"choices\":7}\n").string();
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {"eval", "--system", "first", "--data", broken},
           {"score", "--system", "first", "--data", broken, "--out", (folder / "scores").string()},
           {"data", "stats", broken},
           {"data", "convert", broken, "--to", "native", "--out", (folder / "out.jsonl").string()},
           {"data", "split", broken, "--out", (folder / "parts").string()},
           {"data", "show", broken}}) {
    const auto result = gumption(arguments);
    EXPECT_EQ(result.exit_code, 1) << arguments[0] << " " << arguments[1];
    EXPECT_THAT(result.err, HasSubstr("x.jsonl:2: expected a list as \"choices\", found a number"));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
  for (const char* name : {"scores", "out.jsonl", "parts", "parts.partial"}) {
    EXPECT_FALSE(std::filesystem::exists(folder / name)) << name;
  }
}

TEST(Program, AFullDiskIsSaid) {
  const auto sample = (test::source_folder() / "samples/codah-style.jsonl").string();
  const auto result = gumption({"data", "convert", sample, "--to", "native", "--out", "/dev/full"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("No space left on device"));
  const auto to_stdout = test::run("sh", {"-c", test::program().string() + " data stats " + sample + " > /dev/full"});
  EXPECT_EQ(to_stdout.exit_code, 1);
}

TEST(Program, ReadsStandardInput) {
  const auto result = gumption({"eval", "--system", "first", "--data", "-", "--json"},
                               {.input = "{\"choices\":[\"a\",\"b\"],\"label\":0}\n", .environment = {}, .folder = {}});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(nlohmann::json::parse(result.out)["n"], 1);
}

TEST(Program, DoctorAndSystemsAnswer) {
  EXPECT_THAT(gumption({"doctor"}).out, HasSubstr("cores: "));
  EXPECT_GE(nlohmann::json::parse(gumption({"doctor", "--json"}).out)["cores"], 1);
  EXPECT_EQ(nlohmann::json::parse(gumption({"systems", "--json"}).out)[0]["name"], "random");
}

}  // namespace
}  // namespace gumption
