#pragma once

// A GPU waits for launches when batches are small: a model has hundreds of kernels. Here they are recorded once for
// each size of batch and replayed as one. Batches are filled up to a few sizes, with tokens that no sequence sees.

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <ATen/ATen.h>

#include "gumption/nn/batch_input.h"

namespace gumption {

/// Runs batches through a model without gradients, from recordings where the device has them. Not thread-safe.
class BatchGraphs {
 public:
  /// Computes one value (or row) for each of `rows` from a batch. Must be made of tensor operations alone, without
  /// waiting for the device.
  using Forward = std::function<at::Tensor(const BatchInput& input, const at::Tensor& rows)>;

  BatchGraphs(Forward forward, Sight sight, at::TensorOptions options);
  BatchGraphs(BatchGraphs&&) noexcept;
  BatchGraphs& operator=(BatchGraphs&&) noexcept;
  ~BatchGraphs();

  /// What the model gives for these rows of these tokens, on the device. `rows` must not be empty.
  at::Tensor run(const PackedTokens& tokens, const std::vector<std::int64_t>& rows);

 private:
  struct Recordings;

  Forward forward_;
  Sight sight_;
  at::TensorOptions options_;
  std::unique_ptr<Recordings> recordings_;  // nullptr where nothing is recorded
};

}  // namespace gumption
