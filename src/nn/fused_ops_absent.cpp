// What stands in for fused_ops_cuda.cpp in a build without CUDA.
#include "gumption/nn/fused_ops.h"

namespace gumption {

std::optional<at::Tensor> fused_layer_norm(const at::Tensor&, const at::Tensor&, const at::Tensor&, const at::Tensor&,
                                           double) {
  return std::nullopt;
}

std::optional<at::Tensor> fused_short_attention(const at::Tensor&, const at::Tensor&, const at::Tensor&,
                                                const SegmentOffsets&, bool) {
  return std::nullopt;
}

std::string device_name() { return {}; }

}  // namespace gumption
