#include "gumption/text/gpt1_original.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <string>

#include <utf8proc.h>

#include "gumption/text/unicode.h"

namespace gumption {

namespace {

using Points = std::vector<AlignedPoint>;

struct Spelling {
  char32_t point;
  std::u32string_view spelling;
};

/// What ftfy's fixing and the original's standardising replace.
constexpr Spelling kSpellings[] = {
    {0x2018, U"'"},   {0x2019, U"'"},   {0x201A, U"'"},  {0x201B, U"'"},  {0x2BC, U"'"},   {0xB4, U"'"},
    {0x201C, U"\""},  {0x201D, U"\""},  {0x201E, U"\""}, {0x201F, U"\""}, {0x2014, U"-"},  {0x2013, U"-"},
    {0x2015, U"-"},   {0x2026, U"..."}, {0xFB00, U"ff"}, {0xFB01, U"fi"}, {0xFB02, U"fl"}, {0xFB03, U"ffi"},
    {0xFB04, U"ffl"}, {0x2028, U"\n"},  {0x2029, U"\n"}, {0x85, U"\n"},   {0x3000, U" "},  {0x132, U"IJ"},
    {0x133, U"ij"},   {0x149, U"'n"},
};

bool is_control(char32_t point) {
  if (point == '\t' || point == '\n' || point == '\f' || point == '\r') return false;
  return point < 0x20 || point == 0x7F || point == 0xFEFF || (point >= 0x206A && point <= 0x206F) ||
         (point >= 0xFFF9 && point <= 0xFFFC);
}

void append_fixed(Points& points, const AlignedPoint& from) {
  if (is_control(from.value)) return;
  if (from.value < 0x80) {
    points.push_back(from);
    return;
  }
  if (from.value >= 0xFF01 && from.value <= 0xFF5E) {
    points.push_back({from.value - 0xFF00 + 0x20, from.begin, from.end});
    return;
  }
  for (const Spelling& entry : kSpellings) {
    if (entry.point != from.value) continue;
    for (const char32_t value : entry.spelling) points.push_back({value, from.begin, from.end});
    return;
  }
  points.push_back(from);
}

/// Replacements and line ends; \r\n and \r become \n.
Points fix(std::string_view text) {
  Points points;
  for (std::size_t at = 0; at < text.size();) {
    const DecodedPoint point = decode_point(text.substr(at));
    AlignedPoint from{point.value, at, at + point.length};
    at += point.length;
    if (from.value == '\r') {
      from.value = '\n';
      if (at < text.size() && text[at] == '\n') from.end = ++at;
    }
    append_fixed(points, from);
  }
  return points;
}

/// Canonical composition, sequence by sequence; each result has the place of its whole sequence.
Points compose(const Points& points) {
  Points composed;
  for (std::size_t begin = 0; begin < points.size();) {
    std::size_t end = begin + 1;
    while (end < points.size() && points[end].value >= 0x80 && is_mark(points[end].value)) ++end;
    if (end == begin + 1) {
      composed.push_back(points[begin]);
    } else {
      std::vector<utf8proc_int32_t> buffer;
      for (std::size_t i = begin; i < end; ++i) buffer.push_back(static_cast<utf8proc_int32_t>(points[i].value));
      const auto size = utf8proc_normalize_utf32(buffer.data(), static_cast<utf8proc_ssize_t>(buffer.size()),
                                                 static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
      for (utf8proc_ssize_t i = 0; i < size; ++i) {
        const auto value = static_cast<char32_t>(buffer[static_cast<std::size_t>(i)]);
        composed.push_back({value, points[begin].begin, points[end - 1].end});
      }
    }
    begin = end;
  }
  return composed;
}

/// Runs of one of these get spaces around them.
bool is_spaced_out(char32_t point) {
  return point < 0x80 && point != 0 &&
         std::u32string_view(U"-~!\";?+,)(\\/*[]}{|_").find(point) != std::u32string_view::npos;
}

/// A stretch of a line, between white space.
struct Chunks {
  const Points& points;
  std::vector<PointSpan> words;

  bool letter(std::size_t i) const { return is_letter(points[i].value); }
  char32_t at(std::size_t i) const { return points[i].value; }
  std::u32string lowered(std::size_t begin, std::size_t end) const {
    std::u32string text;
    for (std::size_t i = begin; i < end; ++i) text += to_lower(points[i].value);
    return text;
  }
};

bool is_prefix_sign(char32_t point) {
  return std::u32string_view(U"'`#$£€¥%&=<>:.@^§").find(point) != std::u32string_view::npos;
}

bool is_abbreviation(const std::u32string& word) {
  static constexpr std::array<std::u32string_view, 48> kKnown = {
      U"mr.",  U"mrs.",  U"ms.",    U"dr.",   U"st.",   U"jr.",   U"sr.",     U"prof.", U"rev.",  U"gen.",
      U"gov.", U"sen.",  U"rep.",   U"adm.",  U"bros.", U"co.",   U"corp.",   U"inc.",  U"ltd.",  U"vs.",
      U"e.g.", U"i.e.",  U"a.m.",   U"p.m.",  U"jan.",  U"feb.",  U"mar.",    U"apr.",  U"jun.",  U"jul.",
      U"aug.", U"sep.",  U"sept.",  U"oct.",  U"nov.",  U"dec.",  U"messrs.", U"mt.",   U"ph.d.", U"ave.",
      U"ala.", U"ariz.", U"calif.", U"conn.", U"wash.", U"mass.", U"mich.",   U"minn."};
  return std::find(kKnown.begin(), kKnown.end(), word) != kKnown.end() || (word.size() == 2 && word[1] == '.');
}

bool ends_a_sentence(const Chunks& chunks, std::size_t begin, std::size_t stop) {
  if (stop == begin) return true;
  const char32_t before = chunks.at(stop - 1);
  if (!is_letter(before)) return before != '.';
  if (to_lower(before) == before) return true;
  return stop >= begin + 2 && is_letter(chunks.at(stop - 2)) && to_lower(chunks.at(stop - 2)) != chunks.at(stop - 2);
}

constexpr std::size_t kLongestAbbreviation = 8;

/// How many points at the end of a word are a word of their own: 's, n't, 'll, a full stop, a sign; 0 for none.
std::size_t suffix_length(const Chunks& chunks, std::size_t begin, std::size_t end) {
  const std::size_t size = end - begin;
  if (size < 2) return 0;
  if (size <= kLongestAbbreviation && is_abbreviation(chunks.lowered(begin, end))) return 0;
  std::size_t dots = 0;
  while (dots < size && chunks.at(end - 1 - dots) == '.') ++dots;
  if (dots >= 3) return dots < size ? dots : 0;
  if (dots > 0) return ends_a_sentence(chunks, begin, end - 1) ? 1 : 0;
  const std::u32string tail = chunks.lowered(end - std::min<std::size_t>(size, 4), end);
  if (size > 3 && tail.ends_with(U"n't")) return 3;
  for (const std::u32string_view ending : {U"'s", U"'m", U"'d", U"'re", U"'ve", U"'ll"}) {
    if (size > ending.size() && tail.ends_with(ending)) return ending.size();
  }
  if (size == 6 && chunks.lowered(begin, end) == U"cannot") return 3;
  if (size == 5 && (chunks.lowered(begin, end) == U"gonna" || chunks.lowered(begin, end) == U"gotta")) return 2;
  return std::u32string_view(U"'`:%&=<>$£€¥#@^").find(tail.back()) != std::u32string_view::npos ? 1 : 0;
}

/// 's and the like standing alone are whole words.
bool is_clitic(const Chunks& chunks, std::size_t begin, std::size_t end) {
  if (end - begin > 3) return false;
  const std::u32string word = chunks.lowered(begin, end);
  for (const std::u32string_view clitic : {U"'s", U"'m", U"'d", U"'re", U"'ve", U"'ll", U"'em"}) {
    if (word == clitic) return true;
  }
  return false;
}

/// Takes signs off the front of a word; where the rest begins.
std::size_t split_prefixes(Chunks& chunks, std::size_t begin, std::size_t end) {
  while (end - begin > 1 && is_prefix_sign(chunks.at(begin)) && !is_clitic(chunks, begin, end)) {
    std::size_t length = 1;
    while (chunks.at(begin) == '.' && begin + length < end && chunks.at(begin + length) == '.') ++length;
    if (chunks.at(begin) == '.' && length == 1) break;
    chunks.words.push_back({begin, begin + length});
    begin += length;
  }
  return begin;
}

void split_chunk(Chunks& chunks, std::size_t begin, std::size_t end) {
  begin = split_prefixes(chunks, begin, end);
  std::vector<PointSpan> tails;
  for (std::size_t length = suffix_length(chunks, begin, end); length > 0; length = suffix_length(chunks, begin, end)) {
    tails.push_back({end - length, end});
    end -= length;
  }
  for (std::size_t i = begin + 1; i + 1 < end; ++i) {  // an ellipsis inside
    if (chunks.at(i) != '.' || chunks.at(i + 1) != '.') continue;
    std::size_t stop = i;
    while (stop < end && chunks.at(stop) == '.') ++stop;
    if (stop == end) break;
    chunks.words.push_back({begin, i});
    chunks.words.push_back({i, stop});
    begin = stop;
    i = stop;
  }
  if (end > begin) chunks.words.push_back({begin, end});
  chunks.words.insert(chunks.words.end(), tails.rbegin(), tails.rend());
}

}  // namespace

Gpt1Text gpt1_original_text(std::string_view text) {
  Gpt1Text result;
  result.points = compose(fix(text));
  Chunks chunks{result.points, {}};
  const Points& points = result.points;
  std::size_t begin = 0;
  const auto end_chunk = [&](std::size_t end) {
    if (end > begin) split_chunk(chunks, begin, end);
    begin = end;
  };
  bool seen_word = false;    // a line end at the start of the text is stripped,
  std::size_t line_end = 0;  // and so is one at its end; between words any number of them is one word
  bool pending_line_end = false;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const char32_t value = points[i].value;
    if (is_white_space(value)) {
      end_chunk(i);
      begin = i + 1;
      if (value != '\n' || !seen_word || pending_line_end) continue;
      pending_line_end = true;
      line_end = i;
      continue;
    }
    if (pending_line_end) chunks.words.push_back({line_end, line_end + 1});
    pending_line_end = false;
    seen_word = true;
    if (!is_spaced_out(value)) continue;
    end_chunk(i);
    while (i + 1 < points.size() && points[i + 1].value == value) ++i;
    chunks.words.push_back({begin, i + 1});
    begin = i + 1;
  }
  end_chunk(points.size());
  result.words = std::move(chunks.words);
  for (AlignedPoint& point : result.points) point.value = to_lower(point.value);
  return result;
}

}  // namespace gumption
