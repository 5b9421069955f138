#pragma once

// The last step of building a count index: the sorted runs of all shards become one file.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "gumption/base/files.h"
#include "gumption/base/thread_pool.h"
#include "gumption/corpus/index_format.h"
#include "gumption/corpus/vocabulary_pass.h"

namespace gumption {

/// What the index says about itself.
struct IndexDescription {
  std::vector<std::uint64_t> windows;
  WordOptions words;
  std::uint64_t min_pair_count = 1;
  TextTotals totals;
  std::string manifest;
};

/// A shard's run files, in the order of the words in them.
using ShardRuns = std::vector<std::filesystem::path>;

/// Writes the whole index to `out`, without committing it, and gives the number of different pairs. The bytes don't
/// depend on how the text was divided or on the threads. Memory doesn't grow with the runs.
std::uint64_t merge_runs(const std::vector<ShardRuns>& shards, const std::vector<CountedWord>& words,
                         const IndexDescription& description, ThreadPool& pool, AtomicFile& out);

}  // namespace gumption
