#pragma once

// TensorFlow's tensor bundle: PREFIX.index, a sorted table that says where each variable lies, and
// PREFIX.data-00000-of-0000N with their bytes.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gumption/weights/tensor_store.h"

namespace gumption {

/// Where a variable lies.
struct BundleEntry {
  std::string name;
  std::optional<ElementType> type;  // empty: one that holds no numbers
  std::vector<std::int64_t> shape;
  std::uint64_t shard = 0;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint32_t sum = 0;  // masked CRC-32C of the bytes
  bool sliced = false;    // stored in pieces under other names
};

struct BundleIndex {
  std::uint64_t shards = 0;
  std::vector<BundleEntry> entries;
};

/// The checkpoints in a folder, as their index files: those with a data file beside them, or else a SavedModel's
/// variables/variables.index.
std::vector<std::filesystem::path> find_bundles(const std::filesystem::path& folder);

/// Reads an index file's bytes through LevelDB's table, whose block handles are checked first: LevelDB itself trusts
/// them with allocations. `name` is for messages. UserError for what is damaged or compressed, or where the build has
/// no `tensorflow`.
BundleIndex parse_bundle_index(std::string_view bytes, const std::string& name);

}  // namespace gumption
