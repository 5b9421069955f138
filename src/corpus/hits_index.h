#pragma once

// Making a hit index: a Xapian database on this machine, which open_hit_shards() reads, directly or behind
// xapian-tcpsrv.

#include <cstdint>
#include <filesystem>
#include <span>

#include "gumption/base/options.h"
#include "gumption/corpus/hits_documents.h"

namespace gumption {

struct HitIndexOptions {
  HitDocuments documents = HitDocuments::kFile;
  std::uint64_t threads = 0;  // 0: one for each usable core; changes nothing in the counts
};
OptionSet describe(HitIndexOptions& options);

struct HitIndexSummary {
  std::uint64_t files = 0;
  std::uint64_t documents = 0;
  std::uint64_t words = 0;
  std::uint64_t text_bytes = 0;
  std::uint64_t index_bytes = 0;
};

/// Indexes files and folders into the new folder `out`, which appears whole or not at all; until then OUT.partial is
/// filled. Memory: some 60 MB a thread (16 at most are used), or a multiple of the largest document. UserError when
/// `out` exists, when another build is filling OUT.partial, when the disk is full, when there is no document, and for
/// unreadable input.
///
/// Sets XAPIAN_FLUSH_THRESHOLD in the environment unless it is there: no other thread may read the environment
/// meanwhile.
HitIndexSummary build_hit_index(std::span<const std::filesystem::path> inputs, const HitIndexOptions& options,
                                const std::filesystem::path& out);

}  // namespace gumption
