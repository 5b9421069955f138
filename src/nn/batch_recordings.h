#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <ATen/ATen.h>

#include "gumption/nn/batch_input.h"

namespace gumption {

/// CUDA graphs of a forward pass, one for each size of filled batch. Without CUDA in the build there are none. Not
/// thread-safe.
class BatchRecordings {
 public:
  using Forward = std::function<at::Tensor(const BatchInput& input, const at::Tensor& rows)>;

  static bool are_supported();

  /// `options` must be of a GPU and have a fused attention kernel.
  BatchRecordings(Forward forward, Sight sight, at::TensorOptions options);
  BatchRecordings(BatchRecordings&&) noexcept;
  BatchRecordings& operator=(BatchRecordings&&) noexcept;
  ~BatchRecordings();

  at::Tensor run(const PackedTokens& tokens, const std::vector<std::int64_t>& rows);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace gumption
