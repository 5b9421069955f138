#pragma once

// Where tensors live and how exact they are.

#include <cstdint>
#include <optional>
#include <string>

#include <ATen/ATen.h>

namespace gumption {

enum class Device { kCpu, kCuda };
enum class Precision { kFloat32, kBfloat16 };

struct EngineOptions {
  Device device = Device::kCpu;
  Precision precision = Precision::kFloat32;
  std::uint64_t threads = 0;  // of the CPU; 0: one for each core
};

/// Sets the number of threads for all tensor work of this process and gives the options back as tensor options.
/// UserError where a GPU is asked for and none can be used.
at::TensorOptions start_engine(const EngineOptions& options);

/// Which of the GPUs that a process sees it takes: of several processes on one machine, which launchers number by
/// LOCAL_RANK, each has one of its own. None in particular where the variable isn't set (nullptr). Where a process sees
/// one only, that is its own, whatever its number: launchers may hide the others. `gpus` > 0. UserError where the
/// variable is no number, or no GPU is left for it.
std::optional<std::int64_t> gpu_of(const char* local_rank, std::int64_t gpus);

/// Whether this build and this machine can use a GPU.
bool gpu_is_usable();

/// LibTorch's version, e.g. "2.11.0".
std::string libtorch_version();

/// What multiplies matrices on the CPU.
std::string blas_name();

/// The GPU's name, or why there is none.
std::string gpu_name();

/// Whether the processor multiplies bfloat16 natively.
bool bfloat16_is_fast();

}  // namespace gumption
