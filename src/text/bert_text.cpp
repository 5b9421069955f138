#include "gumption/text/bert_text.h"

#include <algorithm>

namespace gumption {

BertText::BertText(BertTextOptions options) : options_(options), table_(CharacterTable::get()) {
  if (options_.clean_text) changing_ |= kRemovedClass;
  if (options_.split_ideographs) changing_ |= kIdeographClass;
  if (options_.strip_accents) changing_ |= kNonspacingClass | kCombiningClass | kDecomposesClass;
  if (options_.lower_case) changing_ |= kLowersClass;
  for (unsigned byte = 0; byte < actions_.size(); ++byte) {
    const CharacterClasses classes = table_[byte];
    if (byte >= 0x80) {
      actions_[byte] = kForeign;
    } else if (options_.clean_text && (classes & kRemovedClass)) {
      actions_[byte] = kDrop;
    } else if (classes & kSpaceClass) {
      actions_[byte] = kBreak;
    } else if (classes & kPunctuationClass) {
      actions_[byte] = static_cast<std::uint16_t>(kAlone | byte);
    } else {
      actions_[byte] = static_cast<std::uint16_t>(options_.lower_case ? to_lower(byte) : byte);
    }
  }
}

std::size_t BertText::foreign_run(std::string_view text) const {
  std::size_t size = 0;
  while (size < text.size()) {
    const std::uint16_t action = actions_[static_cast<unsigned char>(text[size])];
    if (action != kForeign && action != kDrop) break;
    ++size;
  }
  return size;
}

void BertText::normalise(std::string_view text, Scratch& scratch) const {
  scratch.points.clear();
  for (std::size_t at = 0; at < text.size();) {
    const DecodedPoint point = decode_point(text.substr(at));
    scratch.points.push_back({point.value, at, at + point.length});
    at += point.length;
  }
  if (options_.clean_text) clean(scratch);
  if (options_.split_ideographs) set_ideographs_apart(scratch);
  if (options_.strip_accents) strip_accents(scratch);
  if (options_.lower_case) lower(scratch);
}

void BertText::clean(Scratch& scratch) const {
  std::erase_if(scratch.points, [&](const AlignedPoint& point) { return (table_[point.value] & kRemovedClass) != 0; });
  for (AlignedPoint& point : scratch.points) {
    if (table_[point.value] & kSpaceClass) point.value = ' ';
  }
}

void BertText::set_ideographs_apart(Scratch& scratch) {
  const CharacterTable& table = CharacterTable::get();
  scratch.spare.clear();
  for (const AlignedPoint& point : scratch.points) {
    const bool apart = (table[point.value] & kIdeographClass) != 0;
    if (apart) scratch.spare.push_back({' ', point.begin, point.end});
    scratch.spare.push_back(point);
    if (apart) scratch.spare.push_back({' ', point.begin, point.end});
  }
  scratch.points.swap(scratch.spare);
}

namespace {

/// A decomposed point; the first part of each decomposition takes the next original point along.
struct DecomposedPoint {
  char32_t value;
  int combining;
  bool is_first;
};

/// Canonical order: marks that follow one another are sorted by their combining class, equal ones staying in order.
void order_marks(std::vector<DecomposedPoint>& points) {
  auto begin = points.begin();
  while (begin != points.end()) {
    if (begin->combining == 0) {
      ++begin;
      continue;
    }
    const auto end = std::find_if(begin, points.end(), [](const DecomposedPoint& p) { return p.combining == 0; });
    std::stable_sort(begin, end,
                     [](const DecomposedPoint& a, const DecomposedPoint& b) { return a.combining < b.combining; });
    begin = end;
  }
}

}  // namespace

void BertText::strip_accents(Scratch& scratch) {
  std::vector<DecomposedPoint> decomposed;
  decomposed.reserve(scratch.points.size());
  std::u32string parts;
  for (const AlignedPoint& point : scratch.points) {
    parts.clear();
    append_decomposed(parts, point.value);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      decomposed.push_back({parts[i], combining_class(parts[i]), i == 0});
    }
  }
  order_marks(decomposed);

  // Places are given out in order again after the sorting, as the reference does, so they never decrease.
  const CharacterTable& table = CharacterTable::get();
  scratch.spare.clear();
  std::size_t next = 0;
  for (const DecomposedPoint& point : decomposed) {
    if (point.is_first) ++next;
    if (table[point.value] & kNonspacingClass) continue;
    const AlignedPoint& origin = scratch.points[next == 0 ? 0 : next - 1];
    scratch.spare.push_back({point.value, origin.begin, origin.end});
  }
  scratch.points.swap(scratch.spare);
}

void BertText::lower(Scratch& scratch) {
  const CharacterTable& table = CharacterTable::get();
  scratch.spare.clear();
  std::u32string lowered;
  for (const AlignedPoint& point : scratch.points) {
    if ((table[point.value] & kLowersClass) == 0) {
      scratch.spare.push_back(point);
      continue;
    }
    lowered.clear();
    append_lower(lowered, point.value);
    for (const char32_t value : lowered) scratch.spare.push_back({value, point.begin, point.end});
  }
  scratch.points.swap(scratch.spare);
}

std::vector<PointSpan> BertText::split(const std::vector<AlignedPoint>& points) {
  const CharacterTable& table = CharacterTable::get();
  std::vector<PointSpan> words;
  std::size_t begin = 0;
  const auto end_word = [&](std::size_t end) {
    if (end > begin) words.push_back({begin, end});
    begin = end;
  };
  for (std::size_t i = 0; i < points.size(); ++i) {
    const CharacterClasses classes = table[points[i].value];
    if (classes & kSpaceClass) {
      end_word(i);
      begin = i + 1;
    } else if (classes & kPunctuationClass) {
      end_word(i);
      end_word(i + 1);
    }
  }
  end_word(points.size());
  return words;
}

}  // namespace gumption
