#include "gumption/train/run_folder.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gumption/base/error.h"

#include "support/support.h"

namespace gumption {
namespace {

using ::testing::HasSubstr;

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const UserError& error) {
    return error.what();
  }
  return {};
}

const std::vector<RunSetting> kSettings = {{"lr", "2e-05"}, {"seed", "1"}};

TEST(RunFolder, RefusesWhatIsThere) {
  const test::TemporaryFolder folder;
  for (const char* name : {"training/state.safetensors", "model.safetensors", "notes"}) {
    const auto used = folder.path() / std::filesystem::path(name).stem();
    { const RunFolder run(used, kSettings, false); }
    std::ofstream(used / name) << "x";
    EXPECT_THAT(message_of([&] { RunFolder(used, kSettings, false); }), HasSubstr("--resume")) << name;
  }
  std::filesystem::create_directory(folder.path() / "logs");
  std::ofstream(folder.path() / "logs" / "log.jsonl") << "somebody else's";
  EXPECT_THAT(message_of([&] { RunFolder(folder.path() / "logs", kSettings, false); }), HasSubstr("something else"));
  std::filesystem::create_directory(folder.path() / "other");
  std::ofstream(folder.path() / "other" / "file") << "x";
  EXPECT_THAT(message_of([&] { RunFolder(folder.path() / "other", kSettings, false); }), HasSubstr("something else"));
  EXPECT_THAT(message_of([&] { RunFolder(folder.path() / "other", kSettings, true); }), HasSubstr("something else"));
}

TEST(RunFolder, BeginsWhereNoRunIsYet) {
  const test::TemporaryFolder folder;
  EXPECT_FALSE(RunFolder(folder.path() / "new", kSettings, true).has_state());
  // What a process leaves that dies while it begins.
  std::filesystem::create_directories(folder.path() / "died" / "training");
  std::ofstream(folder.path() / "died" / "training" / "lock") << "";
  EXPECT_FALSE(RunFolder(folder.path() / "died", kSettings, false).has_state());
}

TEST(RunFolder, NamesTheSettingThatDiffers) {
  const test::TemporaryFolder folder;
  const auto out = folder.path() / "run";
  { const RunFolder run(out, kSettings, false); }
  const std::string message = message_of([&] { RunFolder(out, {{"lr", "2e-05"}, {"seed", "2"}}, true); });
  EXPECT_THAT(message, HasSubstr("expected seed = \"1\""));
  EXPECT_THAT(message, HasSubstr("found seed = \"2\""));
}

TEST(RunFolder, IsHeldByOneProcess) {
  const test::TemporaryFolder folder;
  const RunFolder run(folder.path() / "run", kSettings, false);
  EXPECT_NE(message_of([&] { RunFolder(folder.path() / "run", kSettings, true); }), "");
}

TEST(RunFolder, CutsTheLogBehindTheSavedStep) {
  const test::TemporaryFolder folder;
  const auto out = folder.path() / "run";
  {
    RunFolder run(out, kSettings, false);
    run.open_log(0);
    for (const char* line : {R"({"step":1})", R"({"step":2})", R"({"step":3})"}) run.log(line);
    run.flush_log();
  }
  std::ofstream(out / "log.jsonl", std::ios::app) << R"({"step":4,"lo)";  // killed while writing
  RunFolder run(out, kSettings, true);
  run.open_log(2);
  run.log(R"({"step":3,"again":true})");
  run.flush_log();
  EXPECT_EQ(test::read_bytes(out / "log.jsonl"), "{\"step\":1}\n{\"step\":2}\n{\"step\":3,\"again\":true}\n");
}

TEST(RunFolder, ARunThatSavedNothingGivesWay) {
  const test::TemporaryFolder folder;
  const auto out = folder.path() / "run";
  {
    RunFolder run(out, kSettings, false);
    run.open_log(0);
    run.log(R"({"step":1})");
    run.flush_log();
  }
  const std::vector<RunSetting> other = {{"lr", "1e-05"}, {"seed", "1"}};
  EXPECT_THAT(message_of([&] { RunFolder(out, other, true); }), HasSubstr("Nothing was saved: leave --resume out"));
  {
    RunFolder run(out, other, false);
    run.open_log(0);
    EXPECT_EQ(test::read_bytes(out / "log.jsonl"), "");
    std::ofstream(run.state_file()) << "state";
  }
  EXPECT_THAT(message_of([&] { RunFolder(out, kSettings, true); }), HasSubstr("found lr = \"2e-05\""));
  EXPECT_TRUE(RunFolder(out, other, true).has_state());
}

TEST(RunFolder, RemembersThatTheRunHasEnded) {
  const test::TemporaryFolder folder;
  const auto out = folder.path() / "run";
  {
    RunFolder run(out, kSettings, false);
    std::ofstream(run.state_file()) << "state";
    EXPECT_TRUE(run.has_state());
    run.finish(R"({"steps":3})");
    EXPECT_FALSE(run.has_state());
  }
  EXPECT_TRUE(RunFolder(out, kSettings, true).finished());
}

}  // namespace
}  // namespace gumption
