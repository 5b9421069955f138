// What stands in for training_block_cuda.cpp in a build without CUDA.
#include "gumption/base/error.h"
#include "gumption/nn/training_block.h"

namespace gumption {

bool training_block_is_supported(const at::Tensor&, const BlockParameters&, const BlockSettings&) { return false; }

at::Tensor training_block(const at::Tensor&, const BlockParameters&, const SegmentOffsets&, const BlockSettings&,
                          const at::Tensor&) {
  throw InternalError("a build without CUDA has no fused training block");
}

}  // namespace gumption
