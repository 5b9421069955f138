#pragma once

// Sequences of any lengths laid end to end, without padding.

#include <cstdint>
#include <span>
#include <vector>

#include <ATen/ATen.h>

namespace gumption {

/// A stretch of tokens. One with a parent continues it: it sees all of the parent's tokens before its own, as the
/// choices of a question continue what they share.
struct Segment {
  std::int64_t begin = 0;
  std::int64_t length = 0;
  std::int64_t parent = -1;  // index of an earlier segment, which has no parent itself; -1: none
};

/// Which tokens see which. Segments lie end to end in their order and cover all tokens.
struct Layout {
  std::vector<Segment> segments;

  std::int64_t tokens() const;
  /// Appends a segment and gives its index. `parent` must be a segment without parent, or -1.
  std::int64_t add(std::int64_t length, std::int64_t parent = -1);
};

/// A tree is a segment without parent, its stem, and the branches that continue it. Kernels that take whole trees go
/// by tiles of so many tokens.
constexpr std::int64_t kTreeTile = 64;
constexpr std::int64_t kTreeTileNumbers = 3;

/// Three numbers for each tile: its first token, its tree's first segment, and the one behind the tree's last. Empty
/// where a branch lies apart from its tree.
std::vector<std::int64_t> tree_tiles(const Layout& layout);

/// Where the segments of a layout begin and end, for a kernel that takes them all at once. On the device.
struct SegmentOffsets {
  at::Tensor queries;   // int32, one more than segments
  at::Tensor keys;      // int32; a segment's keys are its parent's and its own
  at::Tensor key_rows;  // the rows of all keys; undefined where they are the queries' own
  at::Tensor tiles;  // int32 [tiles, 3]: see tree_tiles(), filled up with zeros; undefined without branches, or where
                     // that is empty
  std::int64_t longest_query = 0;
  std::int64_t longest_key = 0;
};

/// Tokens for a model, on the host.
struct PackedTokens {
  std::vector<std::int64_t> ids;
  std::vector<std::int64_t> positions;
  std::vector<std::int64_t> types;  // empty for models that have none
  Layout layout;

  /// Appends a sequence whose positions count on from its parent's end. `types` is empty or as long as `ids`. Gives the
  /// segment's index.
  std::int64_t add(std::span<const std::int32_t> ids, std::span<const std::int32_t> types = {},
                   std::int64_t parent = -1);
};

/// A host list as a tensor on a device.
at::Tensor to_device(const std::vector<std::int64_t>& values, const at::TensorOptions& options);

}  // namespace gumption
