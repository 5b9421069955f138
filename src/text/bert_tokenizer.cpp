#include "gumption/text/bert_tokenizer.h"

#include <utility>

namespace gumption {

namespace {

std::size_t utf8_length(char32_t point) { return point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4; }

}  // namespace

std::string utf8_of(const std::vector<AlignedPoint>& points, PointSpan span) {
  std::string text;
  for (std::size_t i = span.begin; i < span.end; ++i) append_point(text, points[i].value);
  return text;
}

BertWordTokenizer::BertWordTokenizer(Vocabulary vocabulary, std::vector<AddedToken> added, BertTextOptions options)
    : Tokenizer(std::move(vocabulary), std::move(added)), text_(options) {}

std::string BertWordTokenizer::normalised(std::string_view content) const {
  BertText::Scratch scratch;
  text_.normalise(content, scratch);
  return utf8_of(scratch.points, {0, scratch.points.size()});
}

void BertWordTokenizer::place_segment(std::string_view text, std::vector<Placed>& tokens) const {
  BertText::Scratch scratch;
  text_.normalise(text, scratch);
  const std::vector<AlignedPoint>& points = scratch.points;
  if (normalised_finder().empty()) return place_words(points, tokens);

  const std::string normal = utf8_of(points, {0, points.size()});
  AddedTokenFinder::Cursor cursor;
  AddedTokenFinder::Part part;
  std::size_t at = 0;  // point that begins at byte `byte` of `normal`
  std::size_t byte = 0;
  while (normalised_finder().next(normal, cursor, part)) {
    const std::size_t begin = at;
    while (byte < part.end) byte += utf8_length(points[at++].value);
    if (part.token != AddedTokenFinder::kNone) {
      tokens.push_back({added_tokens()[part.token].id, {points[begin].begin, points[at - 1].end}});
    } else {
      place_words(
          {points.begin() + static_cast<std::ptrdiff_t>(begin), points.begin() + static_cast<std::ptrdiff_t>(at)},
          tokens);
    }
  }
}

void BertWordTokenizer::place_words(const std::vector<AlignedPoint>& points, std::vector<Placed>& tokens) const {
  for (const PointSpan word : BertText::split(points)) place_word(points, word, tokens);
}

void BertWordTokenizer::place_word(const std::vector<AlignedPoint>& points, PointSpan word,
                                   std::vector<Placed>& tokens) const {
  std::size_t at = word.begin;
  std::size_t byte = 0;
  std::size_t piece_end = 0;
  for (const BpeSymbol& piece : pieces_of(utf8_of(points, word))) {
    const std::size_t begin = at;
    piece_end += piece.length;
    while (byte < piece_end) byte += utf8_length(points[at++].value);
    tokens.push_back({piece.id, {points[begin].begin, points[at - 1].end}});
  }
}

}  // namespace gumption
