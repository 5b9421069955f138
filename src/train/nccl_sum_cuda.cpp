#include <array>
#include <exception>
#include <vector>

#include <ATen/cuda/CUDAContext.h>
#include <fmt/format.h>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#include <unistd.h>

#include "gumption/base/error.h"
#include "gumption/train/gradient_sum.h"
#if GUMPTION_NCCL_HAS_GLOO
#include "gumption/cluster/process_group_torch.h"
#endif

namespace gumption {

namespace {

/// Where the processes find each other.
c10::intrusive_ptr<c10d::Store> store_of(const ProcessGroup& group) {
  if (group.size() == 1) return c10::make_intrusive<c10d::HashStore>();
#if GUMPTION_NCCL_HAS_GLOO
  return c10::make_intrusive<c10d::PrefixStore>("gradients", torch_store(group));
#else
  ensure(false, "a build without Gloo has no groups of several processes");
  return {};
#endif
}

class NcclSum : public GradientSum {
 public:
  explicit NcclSum(const ProcessGroup& group)
      : backend_(c10::make_intrusive<c10d::ProcessGroupNCCL>(store_of(group), static_cast<int>(group.rank()),
                                                             static_cast<int>(group.size()))) {}
  NcclSum(const NcclSum&) = delete;
  NcclSum& operator=(const NcclSum&) = delete;

  ~NcclSum() override {
    // After a failure another process may never come to a sum that this one has begun.
    if (std::uncaught_exceptions() > 0) {
      backend_->abort();
    } else {
      backend_->shutdown();
    }
  }

  void add_up(at::Tensor& values) override {
    std::vector<at::Tensor> all = {values};
    backend_->allreduce(all)->wait();  // makes the current stream wait, not this thread
  }

 private:
  c10::intrusive_ptr<c10d::ProcessGroupNCCL> backend_;
};

}  // namespace

std::optional<std::string> nccl_place(const at::Device& device) {
  if (!device.is_cuda()) return std::nullopt;
  std::array<char, 256> host = {};
  gethostname(host.data(), host.size() - 1);
  const cudaDeviceProp* properties = at::cuda::getDeviceProperties(device.has_index() ? device.index() : -1);
  std::string place = host.data();
  for (const char byte : properties->uuid.bytes) place += fmt::format(":{:02x}", static_cast<unsigned char>(byte));
  return place;
}

std::unique_ptr<GradientSum> make_nccl_sum(ProcessGroup& group) { return std::make_unique<NcclSum>(group); }

}  // namespace gumption
