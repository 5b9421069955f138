#pragma once

// The second pass of building a count index, a part of the text at a time: its words as numbers, and from them the
// counts of all pairs, sorted.

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "gumption/base/thread_pool.h"
#include "gumption/corpus/kept_text.h"
#include "gumption/corpus/number_array.h"
#include "gumption/corpus/occurrences.h"
#include "gumption/corpus/run_file.h"
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

/// Words by their numbers, `end` not among them.
struct WordRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

/// Cuts a range into `parts` of about the same weight each; `weights` are those of all words.
std::vector<WordRange> share_out(WordRange range, std::size_t parts, std::span<const std::uint64_t> weights);

/// The words of a run of blocks.
class IndexShard {
 public:
  explicit IndexShard(const ShardPlan& plan) : plan_(plan) {}

  /// Takes the reader's blocks before number `end`, in place of those it had; false where there were none.
  bool read(TextBlockReader& reader, std::uint64_t end, ThreadPool& pool);

  /// Takes blocks that were numbered otherwise: `renumbering` has the number of each of their words, for each
  /// numbering.
  bool take(std::vector<NumberedBlock> blocks, std::span<const std::vector<std::uint32_t>> renumbering,
            ThreadPool& pool);

  /// Counts all pairs whose second word stands in the shard and writes them, sorted, into a file for each of `ranges`.
  /// Gives the files' sums. A file holds rows: u32 y, u32 pairs, u64 bytes, then the pairs as in IndexRow's blocks
  /// without their table.
  std::vector<RunSum> write_runs(const std::vector<std::filesystem::path>& files, std::span<const WordRange> ranges,
                                 ThreadPool& pool);

 private:
  template <class Put>
  void lay_out(std::vector<NumberedBlock>& blocks, const Put& put, ThreadPool& pool);
  std::vector<std::uint64_t> work_of_words() const;
  RunSum write_run(const std::filesystem::path& file, std::span<const WordRange> shares, ThreadPool& pool) const;

  const ShardPlan& plan_;
  NumberArray tokens_;                             // blocks one after another, with their overlap, kDocumentEnd between
  std::vector<TokenRange> own_;                    // which of the tokens are a block's own
  Occurrences occurrences_;                        // of the words among them
  std::vector<std::vector<std::uint32_t>> spare_;  // memory to number blocks in
};

}  // namespace gumption
