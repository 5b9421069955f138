#pragma once

// Sentences of English narratives. A sentence ends behind . ! ? … and the quotes and brackets that close there, unless
// what follows goes on with it: a lower-case word, a dash or comma without a space, the clause that says who spoke
// ("Where?" Alice asked), or the name behind a title, an initial or an abbreviation. Other scripts follow Unicode's
// sentence classes. All functions throw a UserError when sentences are not built in, and are thread-safe.

#include <cstddef>
#include <string_view>
#include <vector>

namespace gumption {

struct Sentence {
  std::string_view text;   // into the text that was split, without white space at the ends; never empty
  std::size_t offset = 0;  // its first byte there
};

struct SentenceOptions {
  bool wrapped_lines = false;  // a line end is a space and a blank line ends a paragraph; otherwise every line end does
};

/// Walks over the sentences of a text, which must outlive it, in memory that doesn't grow. Not thread-safe itself.
class SentenceSplitter {
 public:
  explicit SentenceSplitter(std::string_view text, SentenceOptions options = {});

  /// The next sentence into `sentence`; false at the end of the text.
  bool next(Sentence& sentence);

 private:
  std::string_view text_;
  SentenceOptions options_;
  std::size_t at_ = 0;
};

std::vector<Sentence> sentences_of(std::string_view text, SentenceOptions options = {});

/// ICU's sentences as they are, for comparison. `text` must be smaller than 2 GiB.
std::vector<Sentence> icu_sentences_of(std::string_view text);

}  // namespace gumption
