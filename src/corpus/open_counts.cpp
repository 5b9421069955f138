#include "gumption/corpus/open_counts.h"

namespace gumption {

bool is_count_index(const std::vector<std::string>&) { return false; }

std::unique_ptr<PairCounts> open_counts(const std::vector<std::string>& corpus, const std::vector<WordPair>& pairs,
                                        const CountOptions& options) {
  return count_asked(find_text_files(corpus), pairs, options);
}

}  // namespace gumption
