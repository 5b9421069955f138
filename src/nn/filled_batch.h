#pragma once

// A batch filled up to a round size, so that few sizes occur.

#include <compare>
#include <cstdint>
#include <vector>

#include "gumption/nn/batch_input.h"
#include "gumption/nn/packed.h"

namespace gumption {

/// The extents of a filled batch. Batches of equal sizes can go through one recording.
struct BatchSize {
  std::int64_t tokens = 0;
  std::int64_t segments = 0;
  std::int64_t keys = 0;  // 0 where no segment has a parent: keys are then the tokens
  std::int64_t rows = 0;
  bool has_tiles = false;  // of trees
  std::int64_t longest_query = 0;
  std::int64_t longest_key = 0;
  auto operator<=>(const BatchSize&) const = default;

  /// As many as the segments can have at most.
  std::int64_t tiles() const { return has_tiles ? tokens / kTreeTile + segments : 0; }
  /// Numbers of the whole batch: see fill().
  std::int64_t numbers() const { return 3 * tokens + 2 * (segments + 1) + keys + tiles() * kTreeTileNumbers + rows; }
};

/// The size that a batch is filled up to.
BatchSize filled_size(const PackedTokens& tokens, std::int64_t rows);

/// A batch's numbers one after another: ids, positions, types (`tokens` of each), query offsets, key offsets
/// (`segments` + 1 of each), key rows (`keys`), tiles, rows. Tokens that fill up have the id 0 and are segments of
/// their own; rows that fill up are row 0.
std::vector<std::int32_t> fill(const PackedTokens& tokens, const std::vector<std::int64_t>& rows,
                               const BatchSize& size);

/// A filled batch on the device.
struct FilledInput {
  BatchInput input;
  at::Tensor rows;
};

/// The parts of a filled batch, as views of its numbers (int32, on the device; more may stand behind them).
FilledInput views_of_filled(const at::Tensor& numbers, const BatchSize& size, Sight sight);

/// A count in steps such that fewer than 6% fill up, but for the smallest.
std::int64_t filled_count(std::int64_t count);

}  // namespace gumption
