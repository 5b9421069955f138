#pragma once

// A model's parameters: where they come from and what they are called.

#include <memory>
#include <string>
#include <vector>

#include <ATen/ATen.h>

#include "gumption/weights/checkpoint.h"

namespace gumption {

struct NamedTensor {
  std::string name;
  at::Tensor tensor;
  bool is_matrix = false;  // that a layer multiplies with: may be computed with in a lower precision
};

/// A stored tensor without a copy; it keeps its store alive. Must not be written to.
at::Tensor borrow_tensor(const std::shared_ptr<const TensorStore>& store, const StoredTensor& stored);

/// Hands out a checkpoint's tensors on a device and in a precision, and remembers what was taken. On the CPU, tensors
/// that are stored in that precision are the file's own pages, shared and not copied. Not thread-safe.
class ParameterSource {
 public:
  /// `checkpoint` must outlive the source. `trainable`: private copies in float32 (or float64), whatever the precision
  /// is that the model computes with.
  ParameterSource(const Checkpoint& checkpoint, at::TensorOptions options, bool trainable = false);

  bool has(const std::string& name) const;
  /// UserError where the checkpoint has none of that name.
  at::Tensor take(const std::string& name);
  /// The same for a matrix that a layer multiplies with.
  at::Tensor take_matrix(const std::string& name);
  /// In float32 whatever the precision is: small parts at a model's end, where rounding would show.
  at::Tensor take_exact(const std::string& name);
  /// A new parameter, for a head that the checkpoint lacks.
  at::Tensor create(const std::string& name, at::Tensor value);

  const at::TensorOptions& options() const { return options_; }
  const std::vector<NamedTensor>& taken() const { return taken_; }

 private:
  at::TensorOptions exact() const;
  at::Tensor load(const std::string& name, const at::TensorOptions& options, bool is_matrix = false);

  const Checkpoint& checkpoint_;
  at::TensorOptions options_;
  bool trainable_;
  std::vector<NamedTensor> taken_;
};

}  // namespace gumption
