#pragma once

// Words in two plain senses. A *token* is what white space separates, as the papers' length statistics count. A *word*
// is a maximal run of letters, marks, digits and inner apostrophes, lower-cased, as counting over a corpus means it.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "gumption/text/unicode.h"

namespace gumption {

/// The next token of `rest`, which is moved past it; an empty view at the end. The view is into `rest`'s text.
std::string_view next_token(std::string_view& rest);

std::size_t count_tokens(std::string_view text);

/// All words of a text, in order.
std::vector<std::string> words_of(std::string_view text);

/// Calls `take(std::string_view word)` for each word of `text`; the view is valid during the call only.
template <class Take>
void for_each_word(std::string_view text, Take&& take) {
  std::string word;
  bool apostrophe = false;  // seen, and kept only when the word goes on behind it
  const auto finish = [&] {
    if (!word.empty()) take(std::string_view(word));
    word.clear();
    apostrophe = false;
  };
  while (!text.empty()) {
    const DecodedPoint point = decode_point(text);
    const bool inside = is_letter(point.value) || is_digit(point.value) || (!word.empty() && is_mark(point.value));
    if (inside) {
      if (apostrophe) word += '\'';
      apostrophe = false;
      append_point(word, to_lower(point.value));
    } else if ((point.value == '\'' || point.value == 0x2019) && !word.empty() && !apostrophe) {
      apostrophe = true;
    } else {
      finish();
    }
    text.remove_prefix(point.length);
  }
  finish();
}

}  // namespace gumption
