// What stands in for batch_recordings_cuda.cpp in a build without CUDA.
#include "gumption/base/error.h"
#include "gumption/nn/batch_recordings.h"

namespace gumption {

struct BatchRecordings::Parts {};

bool BatchRecordings::are_supported() { return false; }
// NOLINTNEXTLINE(performance-unnecessary-value-param): where there is CUDA, they are kept.
BatchRecordings::BatchRecordings(Forward, Sight, at::TensorOptions) {
  throw InternalError("a build without CUDA records nothing");
}
BatchRecordings::BatchRecordings(BatchRecordings&&) noexcept = default;
BatchRecordings& BatchRecordings::operator=(BatchRecordings&&) noexcept = default;
BatchRecordings::~BatchRecordings() = default;
at::Tensor BatchRecordings::run(const PackedTokens&, const std::vector<std::int64_t>&) {
  throw InternalError("a build without CUDA records nothing");
}

}  // namespace gumption
