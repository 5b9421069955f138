#pragma once

// Document hits: in how many documents of a collection a word, a text, or two of them stand. This is what the web
// baselines ask of a search engine; an index of ours or a search cluster answers.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gumption {

/// When a document holds a text.
enum class HitMatch {
  kPhrase,  // its words stand there one after another, in order
  kWords,   // each of its words stands there, anywhere
};

/// Asks for the documents that hold `first` and, unless it is empty, `second` too. Words are those of text/words.h; a
/// single word is a text of one. A text that has no word is in no document.
struct HitQuery {
  std::string first;
  std::string second;
  HitMatch match = HitMatch::kPhrase;
};

/// The query with its texts as their words joined by single spaces, in alphabetical order where there are two: queries
/// that ask for the same thing become equal. A query that no document can answer, for want of words, becomes the empty
/// one.
HitQuery canonical(const HitQuery& query);

/// "PHRASE\tFIRST\tSECOND" of a canonical query: equal keys, equal counts. No line ends in it.
std::string key_of(const HitQuery& canonical_query);

/// Answers in whole numbers of documents, never with estimates or with the answer of only some shards. Not thread-safe.
class HitCounter {
 public:
  virtual ~HitCounter() = default;

  /// One count for each query, in order. Many at a time are answered faster than one by one. UserError when a count
  /// can't be had.
  virtual std::vector<std::uint64_t> count(std::span<const HitQuery> queries) = 0;

  /// Documents in all.
  virtual std::uint64_t total() = 0;
};

}  // namespace gumption
