#include "gumption/corpus/word_scanner.h"

namespace gumption {

const char* WordScanner::take_slowly(const char* begin, const char* end) {
  long_word_.clear();
  bool apostrophe = false;  // seen, and kept only when the word goes on behind it
  const char* at = begin;
  while (at < end) {
    const DecodedPoint point = decode_point({at, static_cast<std::size_t>(end - at)});
    if (is_letter(point.value) || is_digit(point.value) || is_mark(point.value)) {
      if (apostrophe) long_word_ += '\'';
      apostrophe = false;
      append_point(long_word_, to_lower(point.value));
    } else if ((point.value == '\'' || point.value == 0x2019) && !apostrophe) {
      apostrophe = true;
    } else {
      break;
    }
    at += point.length;
  }
  return at;
}

bool WordScanner::ends_document(const char* at, const char* end) const {
  if (documents_ == DocumentEnd::kFile) return false;
  if (documents_ == DocumentEnd::kLine) return true;
  while (at < end && (*at == ' ' || *at == '\t' || *at == '\r')) ++at;
  return at < end && *at == '\n';
}

}  // namespace gumption
