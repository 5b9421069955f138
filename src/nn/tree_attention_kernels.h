#pragma once

// Attention over trees, forward and backward: each is a segment without parent, its stem, and behind it the branches
// that continue it. A branch's tokens see the stem and their own branch. A segment without branches is a tree too.

#include <cstdint>

#include <cuda_runtime_api.h>

#include "gumption/nn/training_kernels.h"

namespace gumption {

/// For heads of 64 numbers, and trees of any length, whose stems hold a token at least. Trees cover all tokens.
struct TreeAttention {
  const void* projected = nullptr;        // [tokens, 3, heads, 64]: queries, keys and values
  const std::int32_t* offsets = nullptr;  // of segments, one more than there are
  const std::int32_t* tiles = nullptr;    // [tile_count, 3], as SegmentOffsets has them
  std::int64_t tile_count = 0;
  std::int64_t tokens = 0;
  std::int64_t heads = 0;
  bool causal = false;        // without it, no tree has branches
  float* log_sums = nullptr;  // [heads, tokens]: written forward, read backward
  DropoutDraw dropout;        // a norm of the same site draws other numbers

  static constexpr int kTile = 64;
  static constexpr int kTileNumbers = 3;
  static constexpr int kHeadWidth = 64;
};
/// out: [tokens, heads, 64].
void launch_tree_attention(const TreeAttention& attention, void* out, cudaStream_t stream);
/// out: what the forward pass gave. projected_gradient: as `projected`.
void launch_tree_attention_backward(const TreeAttention& attention, const void* out, const void* out_gradient,
                                    void* projected_gradient, cudaStream_t stream);

}  // namespace gumption
