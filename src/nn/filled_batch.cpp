#include "gumption/nn/filled_batch.h"

#include <algorithm>
#include <bit>

#include "gumption/base/error.h"

namespace gumption {

namespace {

std::int64_t round_up(std::int64_t value, std::int64_t step) { return (value + step - 1) / step * step; }

std::int64_t next_power_of_two(std::int64_t value) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(value)));
}

/// In steps of sixteen, as the kernel for short segments counts, and of powers of two behind its end.
std::int64_t filled_length(std::int64_t length) {
  constexpr std::int64_t kStep = 16;
  constexpr std::int64_t kShort = 64;
  return length <= kShort ? std::max(2 * kStep, round_up(length, kStep)) : next_power_of_two(length);
}

std::int64_t parent_length(const Layout& layout, const Segment& segment) {
  return segment.parent < 0 ? 0 : layout.segments[static_cast<std::size_t>(segment.parent)].length;
}

}  // namespace

std::int64_t filled_count(std::int64_t count) {
  constexpr std::int64_t kStep = 64;
  const std::int64_t step = std::max(kStep, next_power_of_two(count) / 32);
  return round_up(count, step);
}

BatchSize filled_size(const PackedTokens& tokens, std::int64_t rows) {
  constexpr std::int64_t kSegmentStep = 64;
  BatchSize size;
  std::int64_t keys = 0;
  bool has_parents = false;
  for (const Segment& segment : tokens.layout.segments) {
    const std::int64_t before = parent_length(tokens.layout, segment);
    size.longest_query = std::max(size.longest_query, segment.length);
    size.longest_key = std::max(size.longest_key, segment.length + before);
    keys += segment.length + before;
    has_parents = has_parents || before > 0;
  }
  size.longest_query = filled_length(size.longest_query);
  size.longest_key = filled_length(size.longest_key);
  size.tokens = filled_count(tokens.layout.tokens());
  const std::int64_t filling = size.tokens - tokens.layout.tokens();
  const std::int64_t filling_segments = (filling + size.longest_query - 1) / size.longest_query;
  size.segments = round_up(static_cast<std::int64_t>(tokens.layout.segments.size()) + filling_segments, kSegmentStep);
  if (has_parents) size.keys = filled_count(keys + filling);
  size.has_tiles = has_parents && !tree_tiles(tokens.layout).empty();
  size.rows = round_up(rows, kSegmentStep);
  return size;
}

std::vector<std::int32_t> fill(const PackedTokens& tokens, const std::vector<std::int64_t>& rows,
                               const BatchSize& size) {
  Layout layout = tokens.layout;
  while (layout.tokens() < size.tokens) layout.add(std::min(size.longest_query, size.tokens - layout.tokens()));
  ensure(static_cast<std::int64_t>(layout.segments.size()) <= size.segments,
         "a filled batch has room for its segments");

  std::vector<std::int32_t> numbers;
  numbers.reserve(static_cast<std::size_t>(size.numbers()));
  const auto put = [&](const std::vector<std::int64_t>& values, std::int64_t count) {
    for (const std::int64_t value : values) numbers.push_back(static_cast<std::int32_t>(value));
    numbers.resize(numbers.size() + static_cast<std::size_t>(count) - values.size(), 0);
  };
  put(tokens.ids, size.tokens);
  put(tokens.positions, size.tokens);
  put(tokens.types, size.tokens);

  std::vector<std::int64_t> query_offsets = {0};
  std::vector<std::int64_t> key_offsets = {0};
  std::vector<std::int64_t> key_rows;
  for (const Segment& segment : layout.segments) {
    query_offsets.push_back(query_offsets.back() + segment.length);
    key_offsets.push_back(key_offsets.back() + segment.length + parent_length(layout, segment));
    if (size.keys == 0) continue;
    if (segment.parent >= 0) {
      const Segment& parent = layout.segments[static_cast<std::size_t>(segment.parent)];
      for (std::int64_t i = 0; i < parent.length; ++i) key_rows.push_back(parent.begin + i);
    }
    for (std::int64_t i = 0; i < segment.length; ++i) key_rows.push_back(segment.begin + i);
  }
  query_offsets.resize(static_cast<std::size_t>(size.segments) + 1, query_offsets.back());
  key_offsets.resize(static_cast<std::size_t>(size.segments) + 1, key_offsets.back());
  put(query_offsets, size.segments + 1);
  put(key_offsets, size.segments + 1);
  put(key_rows, size.keys);
  if (size.has_tiles) put(tree_tiles(layout), size.tiles() * kTreeTileNumbers);
  put(rows, size.rows);
  ensure(static_cast<std::int64_t>(numbers.size()) == size.numbers(), "a filled batch has its size");
  return numbers;
}

FilledInput views_of_filled(const at::Tensor& numbers, const BatchSize& size, Sight sight) {
  std::int64_t at = 0;
  const auto next = [&](std::int64_t count) {
    at::Tensor part = numbers.narrow(0, at, count);
    at += count;
    return part;
  };
  const at::Tensor ids = next(size.tokens);
  const at::Tensor positions = next(size.tokens);
  const at::Tensor types = next(size.tokens);
  SegmentOffsets offsets;
  offsets.queries = next(size.segments + 1);
  offsets.keys = next(size.segments + 1);
  if (size.keys > 0) offsets.key_rows = next(size.keys);
  if (size.has_tiles) offsets.tiles = next(size.tiles() * kTreeTileNumbers).view({-1, kTreeTileNumbers});
  offsets.longest_query = size.longest_query;
  offsets.longest_key = size.longest_key;
  const at::Tensor rows = next(size.rows);
  return {BatchInput(ids, positions, types, AttentionPlan(std::move(offsets), sight)), rows};
}

}  // namespace gumption
