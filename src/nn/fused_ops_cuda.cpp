#include <algorithm>

#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAStream.h>

#include "gumption/nn/cuda_kernels.h"
#include "gumption/nn/fused_ops.h"

namespace gumption {

namespace {

bool is_plain(const at::Tensor& x) {
  return x.device().is_cuda() && x.scalar_type() == at::kBFloat16 && x.is_contiguous();
}

}  // namespace

std::optional<at::Tensor> fused_layer_norm(const at::Tensor& x, const at::Tensor& y, const at::Tensor& weight,
                                           const at::Tensor& bias, double epsilon) {
  constexpr std::int64_t kWidest = 2048;
  const std::int64_t hidden = x.size(-1);
  if (!is_plain(x) || (y.defined() && !is_plain(y)) || !is_plain(weight) || !is_plain(bias)) return std::nullopt;
  if (hidden % 8 != 0 || hidden > kWidest) return std::nullopt;
  at::Tensor out = at::empty_like(x);
  launch_layer_norm_of_sum(x.const_data_ptr(), y.defined() ? y.const_data_ptr() : nullptr, weight.const_data_ptr(),
                           bias.const_data_ptr(), out.mutable_data_ptr(), x.numel() / hidden, hidden,
                           static_cast<float>(epsilon), c10::cuda::getCurrentCUDAStream());
  return out;
}

std::optional<at::Tensor> fused_short_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                                                const SegmentOffsets& offsets, bool causal) {
  const std::int64_t longest = std::max(offsets.longest_query, offsets.longest_key);
  if (longest > ShortAttention::kLongest || query.size(2) != ShortAttention::kHeadWidth) return std::nullopt;
  for (const at::Tensor* x : {&query, &key, &value}) {
    const bool fits = x->scalar_type() == at::kBFloat16 && x->stride(2) == 1 &&
                      x->stride(1) == ShortAttention::kHeadWidth && x->stride(0) % 8 == 0;
    if (!fits) return std::nullopt;
  }
  at::Tensor out = at::empty(query.sizes(), query.options());
  ShortAttention attention;
  attention.query = query.const_data_ptr();
  attention.key = key.const_data_ptr();
  attention.value = value.const_data_ptr();
  attention.query_stride = query.stride(0);
  attention.key_stride = key.stride(0);
  attention.value_stride = value.stride(0);
  attention.query_offsets = offsets.queries.const_data_ptr<std::int32_t>();
  attention.key_offsets = offsets.keys.const_data_ptr<std::int32_t>();
  attention.out = out.mutable_data_ptr();
  attention.segments = offsets.queries.size(0) - 1;
  attention.heads = query.size(1);
  attention.longest_query = offsets.longest_query;
  attention.longest_key = offsets.longest_key;
  attention.causal = causal;
  launch_short_attention(attention, c10::cuda::getCurrentCUDAStream());
  return out;
}

std::string device_name() {
  const cudaDeviceProp* properties = at::cuda::getCurrentDeviceProperties();
  return properties == nullptr ? std::string() : properties->name;
}

}  // namespace gumption
