#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gumption/corpus/asked_counts.h"
#include "gumption/corpus/pair_counts.h"

namespace gumption {

/// Whether `corpus` is one count index, and not text.
bool is_count_index(const std::vector<std::string>& corpus);

/// Counts of at least `pairs`: from a count index, or by reading through text, which launched_group()'s processes
/// share. `options` say how text is counted; an index was built with options of its own, and one whose form of words
/// differs is refused with a UserError.
std::unique_ptr<PairCounts> open_counts(const std::vector<std::string>& corpus, const std::vector<WordPair>& pairs,
                                        const CountOptions& options);

}  // namespace gumption
