#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "gumption/text/vocabulary.h"

namespace gumption {

/// A token that is found in the text before anything else looks at it, and is never split: [CLS], <|endoftext|>, ….
struct AddedToken {
  std::string content;
  TokenId id = 0;
  bool special = true;       // left out by a decoding that skips special tokens
  bool normalised = false;   // looked for in the normalised text
  bool single_word = false;  // only where no letter or digit touches it
  bool left_strip = false;   // takes the white space before it along
  bool right_strip = false;  // takes the white space behind it along
};

/// Finds any of several tokens in a text: leftmost first, the longest of those that begin there. Thread-safe.
class AddedTokenFinder {
 public:
  /// A stretch of the text that is a token (an index into the list given), or one between tokens (kNone).
  struct Part {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t token = kNone;
  };
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  /// `patterns` stand for `tokens` of the same place; both are copied. Empty patterns are never found.
  AddedTokenFinder(const std::vector<AddedToken>& tokens, const std::vector<std::string>& patterns);

  bool empty() const { return entries_.empty(); }

  /// The text cut into parts, none of them empty. Works from `at` on and moves it; false at the end.
  /// `text` must be the same in all calls.
  struct Cursor {
    std::size_t at = 0;      // everything before was given
    std::size_t search = 0;  // where to look for the next token
    Part pending;            // a token that stands behind the part given last
    bool has_pending = false;
  };
  bool next(std::string_view text, Cursor& cursor, Part& part) const;

 private:
  struct Entry {
    std::string pattern;
    std::size_t token;
    bool single_word;
    bool left_strip;
    bool right_strip;
  };

  std::size_t find_first_byte(std::string_view text, std::size_t from) const;
  const Entry* match_at(std::string_view text, std::size_t at) const;
  bool find(std::string_view text, Cursor& cursor, Part& found) const;

  std::vector<Entry> entries_;  // longest patterns first
  std::array<bool, 256> begins_{};
  int only_first_byte_ = -1;  // where all patterns begin alike
};

}  // namespace gumption
