#pragma once

// Where a treebank token ends. Used by treebank.h's functions.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gumption {

enum class TreebankKind : std::uint8_t {
  kSpace,
  kNone,    // untokenizable
  kPlain,   // as written, apart from soft hyphens
  kClitic,  // n't 's: typographic apostrophes become plain ones
  kTag,     // <b>
  kOpenQuote,
  kCloseQuote,
  kOpenSingleQuote,
  kCloseSingleQuote,
  kQuotes,  // several typographic ones in a row
  kEllipsis,
  kDash,
  kBracket,
  kSmiley,
  kFraction,  // ½
  kEntity,    // &amp;
  kCurrency
};

struct TreebankMatch {
  TreebankKind kind = TreebankKind::kNone;
  std::size_t length = 0;   // bytes of the token
  std::size_t advance = 0;  // bytes to go on by: less than length where a period counts twice ("etc. ." at an end)
};

/// The token at the start of `rest`, which must not be empty. Several patterns may fit; the longest wins, and what a
/// pattern requires behind the token counts, as in the generated lexer that is followed here.
TreebankMatch match_treebank(std::string_view rest);

}  // namespace gumption
