#pragma once

#include <ATen/ATen.h>

namespace gumption {

/// The rows of a table at `ids`. Differentiable. On a GPU, gradients of a table that gathers them already are added to
/// its own rows alone, and not by a whole table of zeros.
at::Tensor look_up(const at::Tensor& table, const at::Tensor& ids);

}  // namespace gumption
