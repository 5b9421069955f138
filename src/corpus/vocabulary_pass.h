#pragma once

// The first pass of building a count index: which words there are and how common each is.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gumption/base/thread_pool.h"
#include "gumption/corpus/kept_text.h"
#include "gumption/corpus/pair_counts.h"
#include "gumption/corpus/text_blocks.h"
#include "gumption/corpus/word_forms.h"
#include "gumption/corpus/word_table.h"

namespace gumption {

struct CountedWord {
  std::string word;
  std::uint64_t count = 0;
};

/// All words of a text as they are written, in the order of their bytes.
struct TextVocabulary {
  std::vector<CountedWord> words;
  TextTotals totals;
};

/// One pass over all files; memory grows with the number of different words and with what `kept`, to begin with empty,
/// may take. The same for any number of threads.
TextVocabulary count_words(const std::vector<TextFile>& files, const TextOptions& options, ThreadPool& pool,
                           KeptText& kept);

/// What is written to resume from, and read again. UserError where the text isn't such.
std::string to_text(const TextVocabulary& vocabulary);
TextVocabulary vocabulary_from(std::string_view text, const std::string& name);

/// The words that an index counts: forms, commonest first, equally common ones by their bytes.
struct IndexVocabulary {
  std::vector<CountedWord> words;
  WordTable numbers;  // of all spellings whose form is counted
};

IndexVocabulary choose_words(const TextVocabulary& vocabulary, const WordOptions& options);

}  // namespace gumption
