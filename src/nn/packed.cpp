#include "gumption/nn/packed.h"

#include "gumption/base/error.h"

namespace gumption {

std::int64_t Layout::tokens() const { return segments.empty() ? 0 : segments.back().begin + segments.back().length; }

std::int64_t Layout::add(std::int64_t length, std::int64_t parent) {
  ensure(length > 0, "a segment has tokens");
  const auto index = static_cast<std::int64_t>(segments.size());
  ensure(parent < index, "a parent stands before its branches");
  if (parent >= 0) ensure(segments[static_cast<std::size_t>(parent)].parent < 0, "a parent has no parent");
  segments.push_back({tokens(), length, parent});
  return index;
}

std::vector<std::int64_t> tree_tiles(const Layout& layout) {
  std::vector<std::int64_t> tiles;
  const auto count = static_cast<std::int64_t>(layout.segments.size());
  for (std::int64_t stem = 0; stem < count;) {
    std::int64_t next = stem + 1;
    while (next < count && layout.segments[static_cast<std::size_t>(next)].parent == stem) ++next;
    if (layout.segments[static_cast<std::size_t>(stem)].parent >= 0) return {};
    const Segment& last = layout.segments[static_cast<std::size_t>(next - 1)];
    std::int64_t begin = layout.segments[static_cast<std::size_t>(stem)].begin;
    for (; begin < last.begin + last.length; begin += kTreeTile) tiles.insert(tiles.end(), {begin, stem, next});
    stem = next;
  }
  return tiles;
}

std::int64_t PackedTokens::add(std::span<const std::int32_t> new_ids, std::span<const std::int32_t> new_types,
                               std::int64_t parent) {
  const auto length = static_cast<std::int64_t>(new_ids.size());
  const std::int64_t index = layout.add(length, parent);
  const std::int64_t first = parent < 0 ? 0 : layout.segments[static_cast<std::size_t>(parent)].length;
  ids.insert(ids.end(), new_ids.begin(), new_ids.end());
  types.insert(types.end(), new_types.begin(), new_types.end());
  for (std::int64_t i = 0; i < length; ++i) positions.push_back(first + i);
  return index;
}

at::Tensor to_device(const std::vector<std::int64_t>& values, const at::TensorOptions& options) {
  const auto count = static_cast<std::int64_t>(values.size());
  // from_blob only reads here; the clone or transfer below ends the borrowing.
  const at::Tensor borrowed = at::from_blob(const_cast<std::int64_t*>(values.data()), {count}, at::kLong);
  return options.device().is_cpu() ? borrowed.clone() : borrowed.to(options.device());
}

}  // namespace gumption
