#include "gumption/nn/engine.h"

#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <malloc.h>
#include <torch/version.h>

#include "gumption/base/error.h"
#include "gumption/base/thread_pool.h"

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

}  // namespace

at::TensorOptions start_engine(const EngineOptions& options) {
  keep_freed_memory();
  const std::size_t threads = options.threads == 0 ? usable_cores() : options.threads;
  if (at::get_num_threads() != static_cast<int>(threads)) at::set_num_threads(static_cast<int>(threads));
  if (options.device == Device::kCuda && !gpu_is_usable()) {
    throw UserError("No GPU can be used here (`gumption doctor` says why). Take --device cpu.");
  }
  return at::TensorOptions()
      .device(options.device == Device::kCuda ? at::kCUDA : at::kCPU)
      .dtype(options.precision == Precision::kBfloat16 ? at::kBFloat16 : at::kFloat);
}

EngineReport engine_report() {
  EngineReport report;
  report.libtorch = TORCH_VERSION;
  report.blas = at::hasMKL() ? "MKL" : at::hasLAPACK() ? "LAPACK" : "none";
  if (at::hasMKLDNN()) report.blas += " and oneDNN";
  if (!at::globalContext().hasCUDA()) {
    report.gpu = "this build has no CUDA";
  } else if (!gpu_is_usable()) {
    report.gpu = "CUDA is built in, but no GPU is found";
  } else {
    report.gpu = "CUDA";
  }
#if defined(__x86_64__)
  report.bfloat16_is_fast = __builtin_cpu_supports("avx512bf16") != 0;
#endif
  return report;
}

}  // namespace gumption
