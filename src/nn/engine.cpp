#include "gumption/nn/engine.h"

#include <cstdlib>

#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <fmt/format.h>
#include <malloc.h>
#include <torch/version.h>

#include "gumption/base/error.h"
#include "gumption/base/options.h"
#include "gumption/base/thread_pool.h"
#include "gumption/nn/batch_recordings.h"
#include "gumption/nn/fused_ops.h"

namespace gumption {

bool gpu_is_usable() { return at::globalContext().hasCUDA() && at::detail::getCUDAHooks().deviceCount() > 0; }

namespace {

/// Freed tensors are kept for the next batch: giving megabytes back to the system and zeroing them again takes longer
/// than many of the operations on them.
void keep_freed_memory() {
#if defined(__GLIBC__)
  constexpr int kLargest = 1 << 30;
  ::mallopt(M_MMAP_THRESHOLD, kLargest);
  ::mallopt(M_TRIM_THRESHOLD, kLargest);
#endif
}

at::Device choose_gpu() {
  const auto gpu = gpu_of(std::getenv("LOCAL_RANK"), at::detail::getCUDAHooks().deviceCount());
  if (!gpu) return at::Device(at::kCUDA);
  const at::Device chosen(at::kCUDA, static_cast<c10::DeviceIndex>(*gpu));
  c10::impl::getDeviceGuardImpl(at::kCUDA)->setDevice(chosen);
  return chosen;
}

}  // namespace

std::optional<std::int64_t> gpu_of(const char* local_rank, std::int64_t gpus) {
  if (local_rank == nullptr) return std::nullopt;
  const auto rank = parse_integer(local_rank);
  if (!rank || *rank < 0) {
    throw UserError(fmt::format(
        "LOCAL_RANK: expected this process's number among those of its machine, from 0, found {}. Unset it to take the "
        "first GPU.",
        in_quotes(local_rank)));
  }
  if (gpus == 1) return 0;
  if (*rank >= gpus) {
    throw UserError(fmt::format(
        "LOCAL_RANK: process {} of this machine has no GPU of its own, since {} are seen. Start one process for each "
        "GPU.",
        *rank, gpus));
  }
  return *rank;
}

at::TensorOptions start_engine(const EngineOptions& options) {
  keep_freed_memory();
  const std::size_t threads = options.threads == 0 ? usable_cores() : options.threads;
  if (at::get_num_threads() != static_cast<int>(threads)) at::set_num_threads(static_cast<int>(threads));
  if (options.device == Device::kCuda && !gpu_is_usable()) {
    throw UserError("No GPU can be used here (`gumption doctor` says why). Take --device cpu.");
  }
  return at::TensorOptions()
      .device(options.device == Device::kCuda ? choose_gpu() : at::Device(at::kCPU))
      .dtype(options.precision == Precision::kBfloat16 ? at::kBFloat16 : at::kFloat);
}

std::string libtorch_version() { return TORCH_VERSION; }

std::string blas_name() {
  std::string name = at::hasMKL() ? "MKL" : "none";
  if (at::hasMKLDNN()) name += " and oneDNN";
  return name;
}

std::string gpu_name() {
  if (!BatchRecordings::are_supported()) return "none: this build has no CUDA";
  if (!gpu_is_usable()) return "none is found";
  return device_name();
}

bool bfloat16_is_fast() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512bf16") != 0;
#else
  return false;
#endif
}

}  // namespace gumption
