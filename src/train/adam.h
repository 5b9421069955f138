#pragma once

// Adam with decoupled weight decay, and the variants that the papers' programs have.

#include <cstdint>
#include <vector>

#include <ATen/ATen.h>

#include "gumption/train/adam_numbers.h"
#include "gumption/train/parameter_store.h"
#include "gumption/train/train_options.h"

namespace gumption {

/// The running means of an array's gradients and of their squares, in float32.
struct AdamMeans {
  at::Tensor first;
  at::Tensor second;
};

/// Not thread-safe. The same gradients and number of threads give the same bytes.
class Adam {
 public:
  /// `store` must outlive it.
  Adam(ParameterStore& store, const AdamOptions& options);

  /// One update by the store's gradients, which may be clipped in place. Steps count from 1. Gives the norm of all
  /// gradients before clipping: one float32 on the device, without waiting for it.
  at::Tensor update(double rate, std::uint64_t step);

  std::vector<AdamMeans>& means() { return means_; }

 private:
  at::Tensor clip_tensors();

  ParameterStore& store_;
  AdamOptions options_;
  std::vector<AdamMeans> means_;
};

/// g = gradients * scale; the means take g and its square in; then the weights shrink by rate * decay and take a step,
/// and `compute` gets their copy where it is another array. On a GPU one kernel does it; the plain loop below is the
/// reference.
void update_array(ParameterStore::Group& group, AdamMeans& means, const at::Tensor& scale, const AdamNumbers& numbers);

}  // namespace gumption
