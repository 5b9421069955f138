#include <exception>
#include <string>
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

/// What goes wrong in NCCL lies with the machines or the network between them.
template <class Call>
auto with_advice(const Call& call) {
  try {
    return call();
  } catch (const c10::Error& error) {
    const std::string text = error.what_without_backtrace();
    throw UserError(
        fmt::format("Gradients can't be summed over NCCL: {}. NCCL_DEBUG=INFO tells more, NCCL_SOCKET_IFNAME names the "
                    "network interface, and GUMPTION_SUMS=host goes without NCCL.",
                    text.substr(0, text.find('\n'))));
  }
}

c10::intrusive_ptr<c10d::ProcessGroupNCCL> make_backend(const ProcessGroup& group) {
  auto options = c10d::ProcessGroupNCCL::Options::create();
  options->timeout = group.timeout();
  return c10::make_intrusive<c10d::ProcessGroupNCCL>(store_of(group), static_cast<int>(group.rank()),
                                                     static_cast<int>(group.size()), options);
}

class NcclSum : public GradientSum {
 public:
  explicit NcclSum(const ProcessGroup& group) : backend_(with_advice([&] { return make_backend(group); })) {}
  NcclSum(const NcclSum&) = delete;
  NcclSum& operator=(const NcclSum&) = delete;

  ~NcclSum() override {
    try {
      // After a failure another process may never come to a sum that this one has begun.
      if (std::uncaught_exceptions() > 0) {
        backend_->abort();
      } else {
        backend_->shutdown();
      }
    } catch (const std::exception&) {
      // All sums are done with; if something else went wrong before, that is to be said.
    }
  }

  void add_up(at::Tensor& values) override {
    std::vector<at::Tensor> all = {values};
    with_advice([&] { return backend_->allreduce(all)->wait(); });  // the current stream waits, not this thread
  }

 private:
  c10::intrusive_ptr<c10d::ProcessGroupNCCL> backend_;
};

}  // namespace

std::optional<std::string> nccl_place(const at::Device& device) {
  if (!device.is_cuda()) return std::nullopt;
  const cudaDeviceProp* properties = at::cuda::getDeviceProperties(device.has_index() ? device.index() : -1);
  return std::string(properties->uuid.bytes, sizeof properties->uuid.bytes);  // no two GPUs of the world share one
}

std::unique_ptr<GradientSum> make_nccl_sum(ProcessGroup& group) { return std::make_unique<NcclSum>(group); }

}  // namespace gumption
