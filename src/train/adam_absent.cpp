// What stands in for adam_cuda.cpp in a build without CUDA.
#include "gumption/base/error.h"
#include "gumption/train/adam_cuda.h"

namespace gumption {

void update_on_gpu(ParameterStore::Group&, AdamMeans&, const at::Tensor&, const AdamNumbers&) {
  throw InternalError("a build without CUDA has no tensors on a GPU");
}

}  // namespace gumption
