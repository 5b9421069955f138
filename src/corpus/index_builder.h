#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "gumption/cluster/process_group.h"
#include "gumption/corpus/pair_counts.h"
#include "gumption/corpus/text_blocks.h"
#include "gumption/corpus/word_forms.h"

namespace gumption {

/// How several processes come by their shares of the text.
enum class ClusterInputs {
  kSame,  // all see the same files, and each takes its share of them
  kOwn,   // each is given other files; together they are the text, in the order of the processes
};

struct BuildOptions {
  std::string windows = "5,25,50";
  std::uint64_t min_pair_count = 1;  // within the largest window
  TextOptions text;
  WordOptions words;
  std::uint64_t shard_mb = 128;  // of text counted at a time; memory grows with it, the index doesn't depend on it
  std::size_t threads = 0;       // nor on this
  ClusterInputs inputs = ClusterInputs::kSame;
};

OptionSet describe(BuildOptions& options);

struct BuildReport {
  std::uint64_t words = 0;  // different ones
  std::uint64_t pairs = 0;  // different ones
  TextTotals totals;
  std::uint64_t shards = 0;
  std::uint64_t continued = 0;  // shards that an interrupted build had finished
};

/// Counts all pairs of all inputs and writes a count index to `out`, which appears whole or not at all.
///
/// Sorted runs of each shard lie in the folder OUT.building meanwhile, and stay there when the build is interrupted:
/// the next one with the same inputs and options goes on behind the last finished shard. Another build into the same
/// `out` is refused. Reads the inputs twice unless memory can keep their words; what can be read only once is copied
/// into that folder first.
///
/// With several processes, all must call this with the same options. Each counts its share of the text in a folder of
/// its own (OUT.building, OUT.building-1, …) on its machine; the first alone writes `out`, the same bytes as a single
/// process. `group` must outlive the call.
BuildReport build_count_index(const std::vector<std::string>& inputs, const std::filesystem::path& out,
                              const BuildOptions& options, ProcessGroup& group);

/// The same by a single process.
BuildReport build_count_index(const std::vector<std::string>& inputs, const std::filesystem::path& out,
                              const BuildOptions& options);

}  // namespace gumption
