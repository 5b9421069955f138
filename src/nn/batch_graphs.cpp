#include "gumption/nn/batch_graphs.h"

#include <c10/core/InferenceMode.h>

#include "gumption/nn/batch_recordings.h"

namespace gumption {

struct BatchGraphs::Recordings {
  BatchRecordings recordings;
};

BatchGraphs::BatchGraphs(Forward forward, Sight sight, at::TensorOptions options)
    : forward_(std::move(forward)), sight_(sight), options_(options) {
  if (AttentionPlan::has_fused_kernel(options) && BatchRecordings::are_supported()) {
    recordings_ = std::make_unique<Recordings>(Recordings{BatchRecordings(forward_, sight, options)});
  }
}

BatchGraphs::BatchGraphs(BatchGraphs&&) noexcept = default;
BatchGraphs& BatchGraphs::operator=(BatchGraphs&&) noexcept = default;
BatchGraphs::~BatchGraphs() = default;

at::Tensor BatchGraphs::run(const PackedTokens& tokens, const std::vector<std::int64_t>& rows) {
  const c10::InferenceMode no_gradients;
  if (recordings_ != nullptr) return recordings_->recordings.run(tokens, rows);
  return forward_(BatchInput(tokens, sight_, options_), to_device(rows, options_));
}

}  // namespace gumption
