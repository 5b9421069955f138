#pragma once

// All parameters of a model in a few flat arrays, so that an update, a norm, a sum over processes or a saved state is
// one pass over memory and not one for each of hundreds of tensors.

#include <span>
#include <string>
#include <vector>

#include <ATen/ATen.h>

#include "gumption/nn/parameter_source.h"
#include "gumption/train/train_options.h"

namespace gumption {

/// Not thread-safe.
class ParameterStore {
 public:
  /// One parameter's stretch of an array.
  struct Part {
    std::int64_t begin = 0;
    std::int64_t count = 0;
  };

  /// Parameters that are computed with in one precision and decay alike.
  struct Group {
    at::Tensor weights;    // float32: what is updated and saved
    at::Tensor compute;    // what the model computes with: `weights` themselves, or their copy in bfloat16
    at::Tensor gradients;  // in compute's precision
    at::Tensor sums;       // gradients of several batches in float32, where `gradients` are less exact; else undefined
    bool decays = false;
    std::vector<Part> parts;
    at::Tensor without_effect;  // indices of numbers whose gradients are cleared; undefined: none

    /// The gradients of the whole step.
    const at::Tensor& step_gradients() const { return sums.defined() ? sums : gradients; }
  };

  /// Moves float32 tensors into the arrays: they become views of them, in `matrix_type` where they are matrices, and
  /// gather gradients from now on. They must not be views of each other.
  ParameterStore(std::span<const NamedTensor> parameters, at::ScalarType matrix_type, DecaySet decay);

  std::vector<Group>& groups() { return groups_; }
  const std::vector<Group>& groups() const { return groups_; }

  void clear_gradients();

  /// Moves the gradients of one of several batches of a step over to the sums.
  void gather_gradients();

  /// Says which numbers the loss can't depend on. Their gradients are nothing but rounding, which Adam would blow up to
  /// steps as large as any other.
  struct Stretch {
    std::string name;  // of a parameter that is here
    std::int64_t begin = 0;
    std::int64_t count = 0;
  };
  void set_without_effect(std::span<const Stretch> stretches);

  /// Sets the step's gradients of such numbers to zero.
  void clear_without_effect();

  /// Brings the weights into what the model computes with, after they were changed from outside.
  void refresh_compute();

  /// The parameters in float32 under their names, as views of arrays like the groups' weights.
  std::vector<NamedTensor> named(const std::vector<at::Tensor>& arrays) const;

  /// The groups' weights, copied to the host.
  std::vector<at::Tensor> copy_weights() const;

  std::int64_t parameters() const { return parameters_; }

 private:
  struct Place {
    std::string name;
    std::size_t group = 0;
    std::int64_t begin = 0;
    std::vector<std::int64_t> shape;
  };

  std::vector<Group> groups_;
  std::vector<Place> places_;
  std::int64_t parameters_ = 0;
};

}  // namespace gumption
