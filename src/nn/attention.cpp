#include "gumption/nn/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "gumption/base/error.h"
#include "gumption/nn/cpu_kernels.h"
#include "gumption/nn/fused_ops.h"
#include "gumption/nn/layers.h"

namespace gumption {

namespace {

std::int64_t parent_length(const Layout& layout, const Segment& segment) {
  return segment.parent < 0 ? 0 : layout.segments[static_cast<std::size_t>(segment.parent)].length;
}

void append_rows(const Segment& segment, std::vector<std::int64_t>& rows) {
  for (std::int64_t i = 0; i < segment.length; ++i) rows.push_back(segment.begin + i);
}

/// The rows of a segment's keys: its parent's, then its own.
void append_key_rows(const Layout& layout, const Segment& segment, std::vector<std::int64_t>& rows) {
  if (segment.parent >= 0) append_rows(layout.segments[static_cast<std::size_t>(segment.parent)], rows);
  append_rows(segment, rows);
}

at::Tensor to_offsets(const std::vector<std::int64_t>& lengths, const at::TensorOptions& options) {
  std::vector<std::int64_t> offsets = {0};
  for (const std::int64_t length : lengths) offsets.push_back(offsets.back() + length);
  return to_device(offsets, options).to(at::kInt);
}

bool has_parents(const Layout& layout) {
  return std::any_of(layout.segments.begin(), layout.segments.end(), [](const Segment& s) { return s.parent >= 0; });
}

}  // namespace

AttentionPlan::AttentionPlan(const Layout& layout, Sight sight, const at::TensorOptions& options) : sight_(sight) {
  ensure(!layout.segments.empty(), "a batch has sequences");
  ensure(sight == Sight::kCausal || !has_parents(layout), "only causal models share a prefix");
  fused_ = has_fused_kernel(options);
  if (fused_) {
    plan_offsets(layout, options);
  } else {
    plan_groups(layout, options);
  }
}

bool AttentionPlan::has_fused_kernel(const at::TensorOptions& options) {
  return options.device().is_cuda() && at::isReducedFloatingType(c10::typeMetaToScalarType(options.dtype()));
}

void AttentionPlan::plan_offsets(const Layout& layout, const at::TensorOptions& options) {
  std::vector<std::int64_t> query_lengths;
  std::vector<std::int64_t> key_lengths;
  std::vector<std::int64_t> key_rows;
  for (const Segment& segment : layout.segments) {
    query_lengths.push_back(segment.length);
    key_lengths.push_back(parent_length(layout, segment) + segment.length);
    append_key_rows(layout, segment, key_rows);
  }
  offsets_.queries = to_offsets(query_lengths, options);
  offsets_.keys = to_offsets(key_lengths, options);
  offsets_.longest_query = *std::max_element(query_lengths.begin(), query_lengths.end());
  offsets_.longest_key = *std::max_element(key_lengths.begin(), key_lengths.end());
  if (!has_parents(layout)) return;
  offsets_.key_rows = to_device(key_rows, options);
  const std::vector<std::int64_t> tiles = tree_tiles(layout);
  if (!tiles.empty()) offsets_.tiles = to_device(tiles, options).to(at::kInt).view({-1, kTreeTileNumbers});
}

void AttentionPlan::plan_groups(const Layout& layout, const at::TensorOptions& options) {
  const bool all_short = std::all_of(layout.segments.begin(), layout.segments.end(), [&](const Segment& segment) {
    return segment.length + parent_length(layout, segment) <= kLongestShortSegment;
  });
  if (all_short && options.device().is_cpu()) short_layout_ = layout;
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<const Segment*>> by_shape;
  for (const Segment& segment : layout.segments) {
    by_shape[{segment.length, parent_length(layout, segment)}].push_back(&segment);
  }
  std::vector<std::int64_t> rows_in_order;
  for (const auto& [shape, segments] : by_shape) {
    Group group;
    group.count = static_cast<std::int64_t>(segments.size());
    group.query_length = shape.first;
    group.key_length = shape.first + shape.second;
    group.first = segments.front()->begin;
    std::vector<std::int64_t> query_rows;
    std::vector<std::int64_t> key_rows;
    for (const Segment* segment : segments) {
      append_rows(*segment, query_rows);
      append_key_rows(layout, *segment, key_rows);
    }
    const bool end_to_end = query_rows.back() - query_rows.front() + 1 == static_cast<std::int64_t>(query_rows.size());
    if (!end_to_end) group.query_rows = to_device(query_rows, options);
    if (shape.second > 0) {
      group.key_rows = to_device(key_rows, options);
      const auto hidden = at::ones({group.query_length, group.key_length}, options.dtype(at::kBool)).tril(shape.second);
      group.mask = at::zeros({group.query_length, group.key_length}, options)
                       .masked_fill_(hidden.logical_not(), -std::numeric_limits<double>::infinity());
    }
    rows_in_order.insert(rows_in_order.end(), query_rows.begin(), query_rows.end());
    groups_.push_back(std::move(group));
  }
  if (std::is_sorted(rows_in_order.begin(), rows_in_order.end())) return;
  std::vector<std::int64_t> back(rows_in_order.size());
  for (std::size_t i = 0; i < rows_in_order.size(); ++i)
    back[static_cast<std::size_t>(rows_in_order[i])] = static_cast<std::int64_t>(i);
  order_ = to_device(back, options);
}

at::Tensor AttentionPlan::attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                                 const AttentionDropout& dropout) const {
  return fused_ ? attend_offsets(query, key, value, dropout.rate) : attend_groups(query, key, value, dropout);
}

at::Tensor AttentionPlan::attend_offsets(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                                         double dropout) const {
  const at::Tensor& rows = offsets_.key_rows;
  const at::Tensor keys = rows.defined() ? key.index_select(0, rows) : key;
  const at::Tensor values = rows.defined() ? value.index_select(0, rows) : value;
  if (dropout == 0 && fused_kernels_are_used()) {
    if (auto fused = fused_short_attention(query, keys, values, offsets_, sight_ == Sight::kCausal))
      return *std::move(fused);
  }
  // The kernel aligns causal sight at the ends of queries and keys, which is what a branch behind its parent needs.
  return std::get<0>(at::_flash_attention_forward(query, keys, values, offsets_.queries, offsets_.keys,
                                                  offsets_.longest_query, offsets_.longest_key, dropout,
                                                  sight_ == Sight::kCausal, false));
}

at::Tensor AttentionPlan::attend_group(const Group& group, const GroupInput& input,
                                       const AttentionDropout& dropout) const {
  const bool masked = group.mask.defined();
  const bool causal = sight_ == Sight::kCausal && !masked;
  if (dropout.rate == 0 || !dropout.keys.defined()) {
    return at::scaled_dot_product_attention(input.query, input.key, input.value,
                                            masked ? std::optional(group.mask) : std::nullopt, dropout.rate, causal);
  }
  const double scale = 1 / std::sqrt(static_cast<double>(input.query.size(-1)));
  at::Tensor scores = at::matmul(input.query * scale, input.key.transpose(-2, -1));
  if (masked) scores = scores + group.mask;
  if (causal) {
    const at::Tensor hidden =
        at::ones({group.query_length, group.key_length}, scores.options().dtype(at::kBool)).triu(1);
    scores = scores.masked_fill(hidden, -std::numeric_limits<double>::infinity());
  }
  // A weight's key is that of its query's token and its head.
  const std::int64_t heads = input.query.size(1);
  const at::Tensor own = group.query_rows.defined()
                             ? dropout.keys.index_select(0, group.query_rows)
                             : dropout.keys.narrow(0, group.first, group.count * group.query_length);
  constexpr std::int64_t kBetweenHeads = 0x632be59bd9b4e019;
  const at::Tensor by_head = at::arange(heads, own.options()) * kBetweenHeads;
  const at::Tensor keys = own.view({group.count, 1, group.query_length}) + by_head.view({1, heads, 1});
  const at::Tensor weights = keyed_dropout(at::softmax(scores, -1), keys.contiguous(), dropout.site, dropout.rate);
  return at::matmul(weights, input.value);
}

at::Tensor AttentionPlan::attend_groups(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                                        const AttentionDropout& dropout) const {
  if (!short_layout_.segments.empty() && dropout.rate == 0 && fused_kernels_are_used()) {
    const bool causal = sight_ == Sight::kCausal;
    if (auto fused = cpu_short_attention(query, key, value, short_layout_, causal)) return *std::move(fused);
  }
  std::vector<at::Tensor> parts;
  parts.reserve(groups_.size());
  const std::int64_t heads = query.size(1);
  const std::int64_t width = query.size(2);
  for (const Group& group : groups_) {
    const auto rows_of = [&](const at::Tensor& all, const at::Tensor& rows, std::int64_t length) {
      const at::Tensor taken =
          rows.defined() ? all.index_select(0, rows) : all.narrow(0, group.first, group.count * length);
      return taken.unflatten(0, {group.count, length}).transpose(1, 2);
    };
    const at::Tensor& key_rows = group.key_rows.defined() ? group.key_rows : group.query_rows;
    const at::Tensor seen =
        attend_group(group,
                     {rows_of(query, group.query_rows, group.query_length), rows_of(key, key_rows, group.key_length),
                      rows_of(value, key_rows, group.key_length)},
                     dropout);
    parts.push_back(seen.transpose(1, 2).reshape({group.count * group.query_length, heads, width}));
  }
  at::Tensor all = parts.size() == 1 ? parts.front() : at::cat(parts);
  return order_.defined() ? all.index_select(0, order_) : all;
}

}  // namespace gumption
