#include "gumption/train/adam_cuda.h"

#include <c10/cuda/CUDAStream.h>

#include "gumption/train/adam_kernels.h"

namespace gumption {

void update_on_gpu(ParameterStore::Group& group, AdamMeans& means, const at::Tensor& scale,
                   const AdamNumbers& numbers) {
  const at::Tensor& gradients = group.step_gradients();
  const bool copies = !group.compute.is_same(group.weights);
  launch_adam(group.weights.mutable_data_ptr<float>(), means.first.mutable_data_ptr<float>(),
              means.second.mutable_data_ptr<float>(), gradients.const_data_ptr(),
              gradients.scalar_type() == at::kBFloat16, copies ? group.compute.mutable_data_ptr() : nullptr,
              scale.const_data_ptr<float>(), group.weights.numel(), numbers, c10::cuda::getCurrentCUDAStream());
}

}  // namespace gumption
