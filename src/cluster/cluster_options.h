#pragma once

// How launchers (torchrun, Slurm's srun with a line of shell, mpirun) tell a process which of several it is.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace gumption {

struct ClusterOptions {
  std::size_t rank = 0;
  std::size_t size = 1;          // how many processes there are
  std::string address;           // of the first process: a name or an IP address
  std::uint16_t port = 0;        // there
  bool agent_has_store = false;  // the launcher itself listens at that address, not the first process
  std::string attempt = "0";     // which start of the same processes this is, where the launcher starts them again

  /// How long to wait for others: for their start, and in each exchange, while they may still be at work. A process
  /// that ends is noticed at once, whatever this says; a machine that falls silent is noticed after this.
  std::chrono::milliseconds timeout = std::chrono::minutes(30);

  /// From RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT, and from GUMPTION_TIMEOUT (seconds). Without RANK and
  /// WORLD_SIZE, and with a WORLD_SIZE of 1: a single process. UserError, naming the variable, for anything else.
  static ClusterOptions from_environment();

  /// The same from any variables; `get` gives nullptr for one that isn't set.
  static ClusterOptions from(const std::function<const char*(const char*)>& get);
};

}  // namespace gumption
