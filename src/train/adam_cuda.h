#pragma once

#include <ATen/ATen.h>

#include "gumption/train/adam.h"

namespace gumption {

/// update_array() for arrays on a GPU. `scale` is one float32 there.
void update_on_gpu(ParameterStore::Group& group, AdamMeans& means, const at::Tensor& scale, const AdamNumbers& numbers);

}  // namespace gumption
