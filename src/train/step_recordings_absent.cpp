// What stands in for step_recordings_cuda.cpp in a build without CUDA.
#include "gumption/base/error.h"
#include "gumption/train/step_recordings.h"
#include "gumption/train/step_runner.h"

namespace gumption {

struct WorkStream::Guard {};
WorkStream::WorkStream(const at::Device&) {}
WorkStream::~WorkStream() = default;
void WorkStream::wait() const {}

struct StepRecordings::Parts {};
bool StepRecordings::are_supported(const at::TensorOptions&) { return false; }
// NOLINTNEXTLINE(performance-unnecessary-value-param): where there is CUDA, they are kept.
StepRecordings::StepRecordings(Pass, Clear, Sight, at::TensorOptions) {}
StepRecordings::~StepRecordings() = default;
at::Tensor StepRecordings::run(const TrainingBatch&) { throw InternalError("nothing is recorded without CUDA"); }

void seed_gpu_generator(std::uint64_t) {}

}  // namespace gumption
