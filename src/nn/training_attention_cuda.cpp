#include <tuple>

#include <c10/cuda/CUDAStream.h>

#include "gumption/nn/training_attention.h"
#include "gumption/nn/tree_attention_kernels.h"

namespace gumption {

namespace {

std::int64_t tokens_of(const TrainingAttention& pass) { return pass.projected.size(0); }
std::int64_t hidden_of(const TrainingAttention& pass) { return pass.bias.numel() / 3; }

SegmentAttention short_attention(const TrainingAttention& pass) {
  SegmentAttention attention;
  attention.projected = pass.projected.const_data_ptr();
  attention.bias = pass.bias.const_data_ptr<float>();
  attention.offsets = pass.offsets.queries.const_data_ptr<std::int32_t>();
  attention.segments = pass.offsets.queries.size(0) - 1;
  attention.heads = pass.heads;
  attention.longest = pass.offsets.longest_query;
  attention.causal = pass.causal;
  attention.dropout = pass.dropout;
  return attention;
}

TreeAttention tree_attention(const TrainingAttention& pass) {
  static_assert(TreeAttention::kTile == kTreeTile && TreeAttention::kTileNumbers == kTreeTileNumbers);
  TreeAttention attention;
  attention.projected = pass.projected.const_data_ptr();
  attention.offsets = pass.offsets.queries.const_data_ptr<std::int32_t>();
  attention.tiles = pass.offsets.tiles.const_data_ptr<std::int32_t>();
  attention.tile_count = pass.offsets.tiles.size(0);
  attention.tokens = tokens_of(pass);
  attention.heads = pass.heads;
  attention.causal = pass.causal;
  attention.log_sums = pass.log_sums.mutable_data_ptr<float>();
  attention.dropout = pass.dropout;
  return attention;
}

/// Queries, keys and values as LibTorch's attention takes them.
struct Projections {
  at::Tensor query;
  at::Tensor key;
  at::Tensor value;
};

Projections projections_of(const TrainingAttention& pass, const at::Tensor& keys_and_values) {
  const std::int64_t width = hidden_of(pass) / pass.heads;
  const at::Tensor all = pass.projected.view({tokens_of(pass), 3, pass.heads, width});
  if (!keys_and_values.defined()) return {all.select(1, 0), all.select(1, 1), all.select(1, 2)};
  const at::Tensor gathered = keys_and_values.view({-1, 2, pass.heads, width});
  return {all.select(1, 0), gathered.select(1, 0), gathered.select(1, 1)};
}

/// The gradients side by side again, where keys were gathered.
at::Tensor share_out(const TrainingAttention& pass, const Projections& gradients) {
  at::Tensor out = at::empty_like(pass.projected);
  const at::Tensor query = gradients.query.contiguous();
  const at::Tensor key = gradients.key.contiguous();
  const at::Tensor value = gradients.value.contiguous();
  const at::Tensor rows = pass.offsets.key_rows.contiguous();
  SharedKeyGradients shared;
  shared.query = query.const_data_ptr();
  shared.key = key.const_data_ptr();
  shared.value = value.const_data_ptr();
  shared.query_offsets = pass.offsets.queries.const_data_ptr<std::int32_t>();
  shared.key_offsets = pass.offsets.keys.const_data_ptr<std::int32_t>();
  shared.key_rows = rows.const_data_ptr();
  shared.rows_are_long = rows.scalar_type() == at::kLong;
  shared.out = out.mutable_data_ptr();
  shared.segments = pass.offsets.queries.size(0) - 1;
  shared.tokens = tokens_of(pass);
  shared.hidden = hidden_of(pass);
  launch_shared_key_gradients(shared, c10::cuda::getCurrentCUDAStream());
  return out;
}

}  // namespace

TrainingAttention::Way TrainingAttention::way() const {
  const std::int64_t hidden = bias.numel() / 3;
  const bool is_short = offsets.longest_query <= SegmentAttention::kLongest && !offsets.key_rows.defined();
  if (is_short && hidden == heads * SegmentAttention::kHeadWidth) return Way::kShort;
  // Without branches LibTorch's is faster: it has larger tiles.
  const bool has_trees = causal && offsets.key_rows.defined() && offsets.tiles.defined();
  return has_trees && hidden == heads * TreeAttention::kHeadWidth ? Way::kTrees : Way::kLibTorch;
}

void TrainingAttention::attend(const at::Tensor& projections) {
  const auto stream = c10::cuda::getCurrentCUDAStream();
  projected = projections;
  if (way() == Way::kLibTorch) {
    attend_by_libtorch();
    return;
  }
  seen = at::empty({tokens_of(*this), hidden_of(*this)}, projected.options());
  if (way() == Way::kShort) {
    launch_segment_attention(short_attention(*this), seen.mutable_data_ptr(), stream);
  } else {
    log_sums = at::empty({heads, tokens_of(*this)}, projected.options().dtype(at::kFloat));
    launch_tree_attention(tree_attention(*this), seen.mutable_data_ptr(), stream);
  }
}

void TrainingAttention::attend_by_libtorch() {
  const std::int64_t hidden = hidden_of(*this);
  if (offsets.key_rows.defined()) {
    keys_and_values_ = projected.narrow(1, hidden, 2 * hidden).index_select(0, offsets.key_rows);
  }
  const Projections in = projections_of(*this, keys_and_values_);
  at::Tensor debug_mask;
  // The kernel aligns causal sight at the ends of queries and keys, which is what a branch behind its parent needs.
  std::tie(seen, log_sums, generator_, generator_unused_, debug_mask) =
      at::_flash_attention_forward(in.query, in.key, in.value, offsets.queries, offsets.keys, offsets.longest_query,
                                   offsets.longest_key, dropout.probability, causal, false);
  seen = seen.reshape({tokens_of(*this), hidden});
}

at::Tensor TrainingAttention::backward_by_libtorch(const at::Tensor& out_gradient) const {
  const Projections in = projections_of(*this, keys_and_values_);
  const auto by_heads = [&](const at::Tensor& y) { return y.view({tokens_of(*this), heads, -1}); };
  const auto [query, key, value] = at::_flash_attention_backward(
      by_heads(out_gradient), in.query, in.key, in.value, by_heads(seen), log_sums, offsets.queries, offsets.keys,
      offsets.longest_query, offsets.longest_key, dropout.probability, causal, generator_, generator_unused_);
  if (offsets.key_rows.defined()) return share_out(*this, {query, key, value});
  return at::stack({query, key, value}, 1).view({tokens_of(*this), 3 * hidden_of(*this)});
}

ProjectedGradient TrainingAttention::backward(const at::Tensor& out_gradient) const {
  const auto stream = c10::cuda::getCurrentCUDAStream();
  const std::int64_t columns = 3 * hidden_of(*this);
  const auto floats = projected.options().dtype(at::kFloat);
  ProjectedGradient gradient;
  if (way() == Way::kShort) {
    gradient.projected = at::empty_like(projected);
    gradient.bias_sums = at::empty({offsets.queries.size(0) - 1, columns}, floats);
    launch_segment_attention_backward(short_attention(*this), out_gradient.const_data_ptr(),
                                      gradient.projected.mutable_data_ptr(),
                                      gradient.bias_sums.mutable_data_ptr<float>(), stream);
    return gradient;
  }
  if (way() == Way::kTrees) {
    gradient.projected = at::empty_like(projected);
    launch_tree_attention_backward(tree_attention(*this), seen.const_data_ptr(), out_gradient.const_data_ptr(),
                                   gradient.projected.mutable_data_ptr(), stream);
  } else {
    gradient.projected = backward_by_libtorch(out_gradient);
  }
  gradient.bias_sums = at::empty({column_stretches(tokens_of(*this)), columns}, floats);
  launch_column_sums(gradient.projected.const_data_ptr(), gradient.bias_sums.mutable_data_ptr<float>(),
                     tokens_of(*this), columns, stream);
  return gradient;
}

}  // namespace gumption
