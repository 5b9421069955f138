#pragma once

// The second pass of building a count index, a part of the text at a time: its words as numbers, and from them the
// counts of all pairs, sorted.

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "gumption/base/thread_pool.h"
#include "gumption/corpus/text_blocks.h"
#include "gumption/corpus/word_table.h"

namespace gumption {

/// What all shards of a build share; must outlive them.
struct ShardPlan {
  const WordTable* numbers = nullptr;  // of spellings
  std::uint32_t words = 0;             // how many numbers there are
  std::vector<std::uint64_t> windows;  // ascending
  DocumentEnd documents = DocumentEnd::kFile;
};

/// The words of a run of blocks.
class IndexShard {
 public:
  explicit IndexShard(const ShardPlan& plan) : plan_(plan) {}

  /// Takes the reader's blocks before number `end`; false where there were none.
  bool read(TextBlockReader& reader, std::uint64_t end, ThreadPool& pool);

  /// Counts all pairs whose second word stands in the shard and writes them, sorted, one file for each thread. The
  /// files appear whole or not at all. Each holds rows: u32 y, u32 pairs, u64 bytes, then the pairs as in IndexRow's
  /// blocks without their table.
  void write_runs(const std::vector<std::filesystem::path>& files, ThreadPool& pool) const;

 private:
  struct OwnRange {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };
  struct NumberRange {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };

  std::vector<NumberRange> share_out(std::size_t parts) const;
  void write_run(const std::filesystem::path& file, NumberRange numbers) const;

  const ShardPlan& plan_;
  std::vector<std::uint32_t> tokens_;  // blocks one after another, with their overlap, kDocumentEnd between
  std::vector<OwnRange> own_;          // which of the tokens are a block's own
};

}  // namespace gumption
