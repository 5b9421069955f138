#pragma once

// Sums gradients over all processes of a run.

#include <memory>
#include <optional>
#include <string>

#include <ATen/ATen.h>

#include "gumption/cluster/process_group.h"

namespace gumption {

/// All processes must make the same calls in the same order. Not thread-safe.
class GradientSum {
 public:
  virtual ~GradientSum() = default;
  /// values: float32, contiguous. In place, the same bits everywhere.
  virtual void add_up(at::Tensor& values) = 0;
};

/// Over NCCL where each process has a GPU of its own and the build has NCCL; else, and with GUMPTION_SUMS=host in the
/// environment, over the group, through the host's memory. The group must outlive it. All processes of the group must
/// call it.
std::unique_ptr<GradientSum> make_gradient_sum(ProcessGroup& group, const at::Device& device);

/// Over the group.
std::unique_ptr<GradientSum> make_host_sum(ProcessGroup& group);

/// What tells this GPU from all others, here and elsewhere; nothing where the device isn't one or the build
/// has no NCCL.
std::optional<std::string> nccl_place(const at::Device& device);

/// Where nccl_place() gives a place, another one in each process. The first call waits for all processes.
std::unique_ptr<GradientSum> make_nccl_sum(ProcessGroup& group);

}  // namespace gumption
