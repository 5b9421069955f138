#pragma once

// Several processes of one group, forked from a test. Only for tests that start no threads before.

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace gumption::test {

/// A port on the loopback that is free right now.
std::uint16_t free_port();

/// Variables for process `rank` of `size` on this machine.
std::vector<std::string> launcher_variables(std::size_t rank, std::size_t size, std::uint16_t port,
                                            int timeout_seconds = 60);

struct ChildResult {
  int exit_code = -1;  // 128 + signal when killed
  std::string error;   // what its task threw
};

/// Runs task(rank) in a process of its own for each rank and waits for all. A task that throws ends its process with 1.
std::vector<ChildResult> run_processes(std::size_t size, const std::function<void(std::size_t rank)>& task);

}  // namespace gumption::test
