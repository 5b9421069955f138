#include "gumption/text/character_classes.h"

#include <algorithm>
#include <iterator>
#include <map>

#include <utf8proc.h>

#include "gumption/base/error.h"

namespace gumption {

namespace {

struct CharacterRange {
  char32_t first;
  char32_t last;
  CharacterClasses classes;
};

struct LowerException {
  char32_t upper;
  char32_t lower;
};

#include "character_table.inc"

/// The blocks that BERT's authors chose; extension E's first 256 points are left out, as there.
constexpr CharacterRange kIdeographs[] = {
    {0x4E00, 0x9FFF, kIdeographClass},   {0x3400, 0x4DBF, kIdeographClass},   {0x20000, 0x2A6DF, kIdeographClass},
    {0x2A700, 0x2B73F, kIdeographClass}, {0x2B740, 0x2B81F, kIdeographClass}, {0x2B920, 0x2CEAF, kIdeographClass},
    {0xF900, 0xFAFF, kIdeographClass},   {0x2F800, 0x2FA1F, kIdeographClass},
};

void mark_ranges(std::vector<CharacterClasses>& all, const CharacterRange* begin, const CharacterRange* end) {
  for (const CharacterRange* range = begin; range != end; ++range) {
    for (char32_t point = range->first; point <= range->last; ++point) {
      all[point] = static_cast<CharacterClasses>(all[point] | range->classes);
    }
  }
}

}  // namespace

CharacterTable::CharacterTable() {
  std::vector<CharacterClasses> all(0x110000, 0);
  mark_ranges(all, std::begin(kCharacterRanges), std::end(kCharacterRanges));
  mark_ranges(all, std::begin(kIdeographs), std::end(kIdeographs));
  std::map<Block, std::uint16_t> known;
  for (std::size_t number = 0; number < block_of_.size(); ++number) {
    Block block;
    std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(number * kBlockSize), kBlockSize, block.begin());
    const auto [found, is_new] = known.try_emplace(block, static_cast<std::uint16_t>(blocks_.size()));
    if (is_new) blocks_.push_back(block);
    block_of_[number] = found->second;
  }
}

const CharacterTable& CharacterTable::get() {
  static const CharacterTable table;
  return table;
}

void append_lower(std::u32string& points, char32_t point) {
  if (point == 0x130) {
    points += {U'i', char32_t{0x307}};
    return;
  }
  const auto* found =
      std::lower_bound(std::begin(kLowerExceptions), std::end(kLowerExceptions), point,
                       [](const LowerException& entry, char32_t sought) { return entry.upper < sought; });
  if (found != std::end(kLowerExceptions) && found->upper == point) {
    points += found->lower;
  } else {
    points += static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(point)));
  }
}

void append_decomposed(std::u32string& points, char32_t point) {
  if ((CharacterTable::get()[point] & kDecomposesClass) == 0) {
    points += point;
    return;
  }
  constexpr std::size_t kLongest = 16;
  std::array<utf8proc_int32_t, kLongest> parts{};
  int boundary = 0;
  const auto count = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(point), parts.data(), parts.size(),
                                             UTF8PROC_DECOMPOSE, &boundary);
  ensure(count > 0 && static_cast<std::size_t>(count) <= parts.size(), "a decomposition longer than Unicode's longest");
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) points += static_cast<char32_t>(parts[i]);
}

int combining_class(char32_t point) {
  if ((CharacterTable::get()[point] & kCombiningClass) == 0) return 0;
  return utf8proc_get_property(static_cast<utf8proc_int32_t>(point))->combining_class;
}

}  // namespace gumption
