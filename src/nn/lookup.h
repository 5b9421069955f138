#pragma once

#include <ATen/ATen.h>

namespace gumption {

/// The rows of a table at `ids`. Differentiable. Where the table has an array for its gradients already, they are added
/// to the rows that were looked up alone, and not by a whole table of zeros. (On a GPU in no fixed order.)
at::Tensor look_up(const at::Tensor& table, const at::Tensor& ids);

}  // namespace gumption
