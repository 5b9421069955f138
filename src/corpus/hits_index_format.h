#pragma once

// What the writer and the readers of a hit index agree on. A hit index is a Xapian database whose terms are words as in
// text/words.h, with their positions from 1, and whose metadata carries a mark under kHitIndexKey: the format's
// version, a space, and where documents end.

#include <string>
#include <string_view>

#include "gumption/corpus/hits_documents.h"

namespace gumption {

inline constexpr const char* kHitIndexKey = "gumption-hits";
inline constexpr int kHitIndexVersion = 1;

inline std::string hit_index_mark(HitDocuments documents) {
  return std::to_string(kHitIndexVersion) + " " + std::string(to_text(documents));
}

/// A word as a term. Xapian takes up to 245 bytes: what is longer (an address, a line of dashes that were letters) is
/// cut there, between characters.
inline std::string_view term_of(std::string_view word) {
  constexpr std::size_t kLongestTerm = 245;
  if (word.size() <= kLongestTerm) return word;
  std::size_t end = kLongestTerm;
  while (end > 0 && (static_cast<unsigned char>(word[end]) & 0xC0) == 0x80) --end;
  return word.substr(0, end);
}

}  // namespace gumption
