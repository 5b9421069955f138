#pragma once

// Attention over packed sequences: every token sees the tokens of its own segment (all of them, or only those up to
// itself) and, where the segment continues another, all of that one's.

#include <vector>

#include <ATen/ATen.h>

#include "gumption/nn/dropout.h"
#include "gumption/nn/packed.h"

namespace gumption {

enum class Sight { kBothWays, kCausal };

/// How a layout's attention is computed. Made once for a batch and used by all layers; immutable.
class AttentionPlan {
 public:
  /// `options` say on which device, and in which precision, queries will come. kBothWays takes no segments with
  /// parents.
  AttentionPlan(const Layout& layout, Sight sight, const at::TensorOptions& options);

  /// By one fused kernel, which a GPU has for 16-bit numbers.
  AttentionPlan(SegmentOffsets offsets, Sight sight) : sight_(sight), fused_(true), offsets_(std::move(offsets)) {}

  /// Whether there is a fused kernel for tensors of that kind.
  static bool has_fused_kernel(const at::TensorOptions& options);

  /// Queries, keys and values are [tokens, heads, width of a head]; so is what comes back. Differentiable. Some
  /// weights are dropped where `dropout` says so.
  at::Tensor attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                    const AttentionDropout& dropout = {}) const;

  /// The segments' ends, for kernels that take them; nullptr where attention isn't computed by one.
  const SegmentOffsets* offsets() const { return fused_ ? &offsets_ : nullptr; }

 private:
  /// Segments of the same shape, which go through one call.
  struct Group {
    std::int64_t count = 0;
    std::int64_t query_length = 0;
    std::int64_t key_length = 0;
    std::int64_t first = 0;  // token at which the group begins, where its segments lie end to end
    at::Tensor query_rows;   // else: the rows to take
    at::Tensor key_rows;     // undefined where keys lie where the queries do
    at::Tensor mask;         // for causal sight behind a parent
  };
  /// [count, heads, length, width] each.
  struct GroupInput {
    at::Tensor query, key, value;
  };

  void plan_groups(const Layout& layout, const at::TensorOptions& options);
  void plan_offsets(const Layout& layout, const at::TensorOptions& options);
  at::Tensor attend_groups(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                           const AttentionDropout& dropout) const;
  at::Tensor attend_group(const Group& group, const GroupInput& input, const AttentionDropout& dropout) const;
  at::Tensor attend_offsets(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                            double dropout) const;

  Sight sight_;
  std::vector<Group> groups_;
  Layout short_layout_;  // the layout, where the CPU has a kernel for segments as short as its; else empty
  at::Tensor order_;     // puts the groups' rows back into the layout's order; undefined where they are in it

  bool fused_ = false;
  SegmentOffsets offsets_;  // where fused_
};

}  // namespace gumption
