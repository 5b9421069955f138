#include "gumption/base/process.h"

#include <chrono>
#include <csignal>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gumption/base/error.h"

#include "support/support.h"

namespace gumption {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using Clock = std::chrono::steady_clock;

/// A script that writes its process id to `pid` and then sleeps far longer than any test.
ProcessRequest sleeper(const test::TemporaryFolder& folder) {
  ProcessRequest request;
  request.program = "/bin/sh";
  request.arguments = {"-c", "sleep 600 & echo $$ $! > pid.new; mv pid.new pid; wait"};
  request.folder = folder.path();
  return request;
}

/// Whether both of the sleeper's processes are gone, after at most five seconds.
bool all_gone(const test::TemporaryFolder& folder) {
  const std::string pids = test::read_bytes(folder / "pid");
  pid_t shell = 0;
  pid_t child = 0;
  if (std::sscanf(pids.c_str(), "%d %d", &shell, &child) != 2) return false;
  for (int i = 0; i < 50; ++i) {
    if (::kill(shell, 0) != 0 && ::kill(child, 0) != 0) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return false;
}

TEST(Process, GivesOutputAndExitCode) {
  const test::TemporaryFolder folder;
  ProcessRequest request;
  request.program = "/bin/sh";
  request.arguments = {"-c", "echo out; echo \"$WORD $1\" >&2; pwd; cat; exit 3", "sh", "a b; $HOME"};
  request.environment = {"WORD=from-us"};
  request.folder = folder.path();
  const ProcessResult result = run_process(request);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_FALSE(result.was_ended);
  EXPECT_EQ(result.output, "out\nfrom-us a b; $HOME\n" + fs::canonical(folder.path()).string() + "\n");
}

TEST(Process, KeepsTheEndOfALongOutput) {
  ProcessRequest request;
  request.program = "/bin/sh";
  request.arguments = {"-c", "i=0; while [ $i -lt 30000 ]; do echo line $i; i=$((i+1)); done"};
  const ProcessResult result = run_process(request);
  EXPECT_LE(result.output.size(), std::size_t{1} << 16);
  EXPECT_THAT(result.output, testing::EndsWith("line 29999\n"));
}

TEST(Process, WhatCantBeStartedIsSaid) {
  ProcessRequest request;
  request.program = "/nowhere/program";
  EXPECT_THROW(run_process(request), UserError);
}

TEST(Process, EndsItsWholeGroupWhenTheTimeIsOver) {
  const test::TemporaryFolder folder;
  ProcessRequest request = sleeper(folder);
  request.time_limit_seconds = 1;
  const auto start = Clock::now();
  const ProcessResult result = run_process(request);
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(20));
  EXPECT_TRUE(result.was_ended);
  EXPECT_EQ(result.exit_code, 128 + SIGTERM);
  EXPECT_TRUE(all_gone(folder));
}

TEST(Process, DoesNotWaitForWhatTheProgramLeavesBehind) {
  ProcessRequest request;
  request.program = "/bin/sh";
  request.arguments = {"-c", "sleep 5 & echo started"};
  const auto start = Clock::now();
  EXPECT_EQ(run_process(request).output, "started\n");
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(4));
}

TEST(Process, IsEndedWithUs) {
  for (const int signal : {SIGINT, SIGKILL}) {
    const test::TemporaryFolder folder;
    ProcessRequest request = sleeper(folder);
    if (signal == SIGKILL) request.arguments[1] = "echo $$ $$ > pid.new; mv pid.new pid; exec sleep 600";
    const pid_t us = ::fork();
    if (us == 0) {
      run_process(request);
      ::_exit(0);
    }
    for (int i = 0; i < 100 && !fs::exists(folder / "pid"); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    ::kill(us, signal);
    int status = 0;
    ::waitpid(us, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal);
    EXPECT_TRUE(all_gone(folder)) << signal;
  }
}

TEST(Process, ProgramsAreFoundOnPath) {
  const test::TemporaryFolder folder;
  folder.write("plain", "no program");
  EXPECT_TRUE(find_program("sh").has_value());
  const std::string before = std::getenv("PATH");
  ::setenv("PATH", folder.path().c_str(), 1);
  EXPECT_FALSE(find_program("sh").has_value());
  EXPECT_FALSE(find_program("plain").has_value());
  ::setenv("PATH", before.c_str(), 1);
}

}  // namespace
}  // namespace gumption
