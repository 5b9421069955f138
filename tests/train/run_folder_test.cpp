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
  const auto out = folder.path() / "run";
  { const RunFolder run(out, kSettings, false); }
  EXPECT_THAT(message_of([&] { RunFolder(out, kSettings, false); }), HasSubstr("--resume"));
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

/// A run that begins and fails before it has saved anything.
void fail_in(const std::filesystem::path& out, bool resume = false) {
  RunFolder run(out, kSettings, resume);
  run.open_log(0);
  run.log(R"({"step":1})");
  run.flush_log();
  run.discard_if_empty();
}

TEST(RunFolder, ARunThatFailedBeforeItSavedLeavesNothing) {
  const test::TemporaryFolder folder;
  fail_in(folder.path() / "new");
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "new"));
  RunFolder(folder.path() / "new", {{"lr", "1e-05"}}, false);

  fail_in(folder.path() / "runs" / "slash" / "");
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "runs" / "slash"));

  std::filesystem::create_directory(folder.path() / "there");
  fail_in(folder.path() / "there");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path() / "there"));
}

TEST(RunFolder, WhatElseIsThereStays) {
  const test::TemporaryFolder folder;
  for (const char* name : {"training/state.safetensors", "model.safetensors", "notes"}) {
    const auto out = folder.path() / std::filesystem::path(name).filename();
    {
      RunFolder run(out, kSettings, false);
      std::ofstream(out / name) << "x";
      run.discard_if_empty();
    }
    EXPECT_TRUE(std::filesystem::exists(out / name));
    EXPECT_TRUE(std::filesystem::exists(out / "training/run.json"));
  }
  // Begun by an earlier process: who started that may count on it.
  const auto earlier = folder.path() / "earlier";
  { const RunFolder run(earlier, kSettings, false); }
  fail_in(earlier, /*resume=*/true);
  EXPECT_TRUE(std::filesystem::exists(earlier / "training/run.json"));
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
