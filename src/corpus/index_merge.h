#pragma once

// The last step of building a count index: the sorted runs of all shards become its rows.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

#include "gumption/base/thread_pool.h"
#include "gumption/corpus/index_file_writer.h"
#include "gumption/corpus/index_format.h"

namespace gumption {

/// A shard's run files, in the order of the words in them.
using ShardRuns = std::vector<std::filesystem::path>;

using TakeRows = std::function<void(std::string_view bytes)>;

/// Merges the rows of all words that the runs hold and hands them to `take` in the order of the words, on any thread
/// but one piece at a time. The bytes don't depend on how the text was divided or on the threads. Memory doesn't grow
/// with the runs.
MergedRowTable merge_rows(const std::vector<ShardRuns>& shards, std::uint32_t words,
                          const IndexDescription& description, ThreadPool& pool, const TakeRows& take);

}  // namespace gumption
