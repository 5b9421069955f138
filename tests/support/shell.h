#pragma once

#include <string>
#include <vector>

namespace gumption::test {

struct RunResult {
  int exit_code = -1;  // 128 + signal when killed
  std::string out;
  std::string err;
};

struct RunOptions {
  std::string input;                     // given on standard input
  std::vector<std::string> environment;  // "NAME=value", added to ours
  std::string folder;                    // working folder; empty: ours
};

/// Runs a program and waits for it. `arguments` doesn't hold the program itself.
RunResult run(const std::string& program, const std::vector<std::string>& arguments, const RunOptions& options = {});

/// Runs gumption.
RunResult gumption(const std::vector<std::string>& arguments, const RunOptions& options = {});

}  // namespace gumption::test
