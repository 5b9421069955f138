#pragma once

// What carries bytes between processes. ProcessGroup is what others use.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "gumption/cluster/cluster_options.h"

namespace gumption {

/// Every failure is a UserError that says which process can't be reached.
class Transport {
 public:
  virtual ~Transport() = default;

  /// Sends all of `out` to one process and fills `in` from another, both at once; nothing is sent or awaited where
  /// either is empty. What is sent in one call must be what the other side awaits in one.
  virtual void exchange(std::size_t to, std::string_view out, std::size_t from, std::span<char> in) = 0;

  virtual void all_reduce_sum(std::span<std::uint64_t> values) = 0;
  virtual void all_reduce_sum(std::span<float> values) = 0;
  virtual void all_reduce_sum(std::span<double> values) = 0;
};

/// Waits until all processes are there; `options.size` is above 1.
using ConnectProcesses = std::unique_ptr<Transport> (*)(const ClusterOptions& options);

/// How this program's groups connect. Call once, before starting threads.
void set_transport(ConnectProcesses connect);

}  // namespace gumption
