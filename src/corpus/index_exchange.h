#pragma once

// What several processes that build one count index tell each other. Each reads a share of the text and, later, merges
// a range of the words: none holds all words' rows, and the first only passes them on into the file. With a single
// process all of this does nothing.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "gumption/cluster/process_group.h"
#include "gumption/corpus/index_merge.h"
#include "gumption/corpus/index_shard.h"
#include "gumption/corpus/text_blocks.h"
#include "gumption/corpus/vocabulary_pass.h"

namespace gumption {

/// The files of all processes, those of the first before those of the second.
std::vector<TextFile> gather_files(ProcessGroup& group, const std::vector<TextFile>& own);

/// UserError in every process unless all give the same text. `what` is what differs otherwise.
void expect_same(ProcessGroup& group, const std::string& text, const std::string& what);

/// From each process's words those of the whole text that an index with these options can need: forms met less often
/// than min_count are left out on the way, each by the one process that its letters fall to.
TextVocabulary gather_words(ProcessGroup& group, TextVocabulary own, const WordOptions& options);

/// The words whose rows each process merges: about as much work each.
std::vector<WordRange> ranges_of_processes(const std::vector<CountedWord>& words, std::uint64_t window,
                                           std::size_t processes);

/// Sends the runs of others' ranges to them and keeps those that come for this one in `folder`. `shards` has, for each
/// of this process's shards, as many runs for each process. Gives all runs of this process's range.
std::vector<ShardRuns> exchange_runs(ProcessGroup& group, const std::vector<ShardRuns>& shards,
                                     const std::filesystem::path& folder);

/// Passes the rows that others merged to the first process: `table` and the file `rows` describe this one's, and
/// ranges those of all. The first gives each to `take`, in order, and gets the whole table; others get theirs back.
MergedRowTable gather_rows(ProcessGroup& group, MergedRowTable table, const std::filesystem::path& rows,
                           const std::vector<WordRange>& ranges, const TakeRows& take);

}  // namespace gumption
