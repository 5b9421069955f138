#pragma once

// What stands under a ProcessGroup, for those who hold tensors. Costs LibTorch's headers; needs the target
// gumption::cluster_gloo.

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "gumption/cluster/process_group.h"

namespace gumption {

/// LibTorch's process group over Gloo: CPU tensors. Its calls and the ProcessGroup's must come in the same order in all
/// processes. A null pointer for a single process. The group must outlive what is done with it.
c10::intrusive_ptr<c10d::Backend> torch_backend(const ProcessGroup& group);

/// The store in which the processes found each other, to build groups of another kind (NCCL) on: under names of one's
/// own, with c10d::PrefixStore. A null pointer for a single process.
c10::intrusive_ptr<c10d::Store> torch_store(const ProcessGroup& group);

}  // namespace gumption
