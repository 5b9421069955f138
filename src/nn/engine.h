#pragma once

// Where tensors live and how exact they are.

#include <cstdint>
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

/// Whether this build and this machine can use a GPU.
bool gpu_is_usable();

/// What `doctor` says about the engine.
struct EngineReport {
  std::string libtorch;
  std::string blas;
  std::string gpu;                // its name, or why there is none
  bool bfloat16_is_fast = false;  // the processor multiplies it natively
};
EngineReport engine_report();

}  // namespace gumption
