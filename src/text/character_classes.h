#pragma once

// What the reference tokenizers take each code point for. Their answers follow several Unicode versions at once, so
// they stand here as a table of their own (tools/make_character_table.py) and not as general properties like those of
// unicode.h. All functions are thread-safe.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace gumption {

using CharacterClasses = std::uint16_t;

constexpr CharacterClasses kRemovedClass = 1 << 0;      // BERT's cleaning drops it: controls, formats, private use
constexpr CharacterClasses kSpaceClass = 1 << 1;        // white space
constexpr CharacterClasses kPunctuationClass = 1 << 2;  // a word of its own for BERT
constexpr CharacterClasses kNonspacingClass = 1 << 3;   // an accent, for BERT
constexpr CharacterClasses kLetterClass = 1 << 4;       // \p{L} of GPT-2's pattern
constexpr CharacterClasses kNumberClass = 1 << 5;       // \p{N} of GPT-2's pattern
constexpr CharacterClasses kCombiningClass = 1 << 6;    // takes part in canonical ordering
constexpr CharacterClasses kDecomposesClass = 1 << 7;   // has a canonical decomposition
constexpr CharacterClasses kLowersClass = 1 << 8;       // lower case differs
constexpr CharacterClasses kIdeographClass = 1 << 9;    // what BERT calls a Chinese character

/// A two-stage table over all code points.
class CharacterTable {
 public:
  /// The one table; built at the first call.
  static const CharacterTable& get();

  CharacterClasses operator[](char32_t point) const {
    if (point > 0x10FFFF) return 0;
    return blocks_[block_of_[point >> kBlockBits]][point & (kBlockSize - 1)];
  }

 private:
  static constexpr unsigned kBlockBits = 8;
  static constexpr unsigned kBlockSize = 1U << kBlockBits;
  using Block = std::array<CharacterClasses, kBlockSize>;

  CharacterTable();

  std::array<std::uint16_t, (0x110000 >> kBlockBits)> block_of_{};
  std::vector<Block> blocks_;
};

/// The full lower case of a point, appended to `points`: one point, or two for U+0130.
void append_lower(std::u32string& points, char32_t point);

/// The canonical decomposition of a point, appended to `points`.
void append_decomposed(std::u32string& points, char32_t point);

/// Canonical combining class; 0 for what starts a sequence.
int combining_class(char32_t point);

}  // namespace gumption
