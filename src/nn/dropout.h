#pragma once

// Dropout. On the CPU, which numbers are dropped follows from a key of their row alone, so that it doesn't matter which
// other rows are in the batch.

#include <cstdint>

#include <ATen/ATen.h>

#include "gumption/weights/model_config.h"

namespace gumption {

/// x, [rows …, columns], with a share `rate` of its numbers set to zero and the others scaled up. What is dropped is a
/// function of the row's key (int64, one for each row), the site and the column. On the CPU; differentiable.
at::Tensor keyed_dropout(const at::Tensor& x, const at::Tensor& keys, std::int64_t site, double rate);

/// What attention needs to know to drop some of its weights.
struct AttentionDropout {
  double rate = 0;
  at::Tensor keys;  // as Dropout's
  std::int64_t site = 0;
};

/// What a forward pass does beside computing: nothing, or dropping activations by the given rates. Each place of a
/// model drops other numbers; one Dropout serves one pass.
struct Dropout {
  bool active = false;
  DropoutRates rates;
  at::Tensor keys;  // int64, one for each token; undefined: drawn from the device's generator
  at::Tensor seed;  // one int64 on a GPU, for kernels that draw for themselves; undefined: they aren't used

  AttentionDropout attention() const {
    return active ? AttentionDropout{rates.attention, keys, site_++} : AttentionDropout{};
  }
  at::Tensor embedding(const at::Tensor& x) const { return drop(x, rates.embedding, keys); }
  at::Tensor residual(const at::Tensor& x) const { return drop(x, rates.residual, keys); }
  /// `row_keys` are those of x's rows.
  at::Tensor classifier(const at::Tensor& x, const at::Tensor& row_keys) const {
    return drop(x, rates.classifier, row_keys);
  }

 private:
  at::Tensor drop(const at::Tensor& x, double rate, const at::Tensor& row_keys) const;

  mutable std::int64_t site_ = 0;
};

}  // namespace gumption
