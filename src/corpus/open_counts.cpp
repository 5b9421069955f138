#include "gumption/corpus/open_counts.h"

#include <fmt/format.h>

#include "gumption/base/error.h"
#include "gumption/corpus/count_index.h"

namespace gumption {

bool is_count_index(const std::vector<std::string>& corpus) {
  return corpus.size() == 1 && looks_like_count_index(corpus.front());
}

std::unique_ptr<PairCounts> open_counts(const std::vector<std::string>& corpus, const std::vector<WordPair>& pairs,
                                        const CountOptions& options) {
  if (!is_count_index(corpus)) return count_asked(find_text_files(corpus), pairs, options, launched_group());
  auto index = std::make_unique<CountIndex>(corpus.front());
  if (options.words.form != WordForm::kWritten && index->word_options().form != options.words.form) {
    throw UserError(fmt::format("{}: its words have another form than the one asked for. Build it with that --form.",
                                corpus.front()));
  }
  return index;
}

}  // namespace gumption
