#pragma once

// Other people's programs, started without a shell.

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gumption {

/// Where a program lies on PATH; empty where it doesn't.
std::optional<std::filesystem::path> find_program(const std::string& name);

struct ProcessRequest {
  std::filesystem::path program;         // a path, not a name
  std::vector<std::string> arguments;    // without the program
  std::vector<std::string> environment;  // "NAME=value", instead of or beside ours
  std::filesystem::path folder;          // to work in; empty: ours
  double time_limit_seconds = 0;         // 0: none

  /// Called about ten times a second while the program runs; false ends it. May be empty.
  std::function<bool()> go_on;
};

struct ProcessResult {
  int exit_code = 0;       // 128 + signal where a signal ended it
  bool was_ended = false;  // by us: the time was over, or go_on() said no
  std::string output;      // standard output and error as they came, the last 64 KiB
};

/// Runs a program to its end, with nothing on its standard input. It has a process group of its own, all of which is
/// ended where we end it, and where SIGINT, SIGTERM or SIGHUP ends us. UserError where it can't be started. From one
/// thread at a time.
ProcessResult run_process(const ProcessRequest& request);

}  // namespace gumption
