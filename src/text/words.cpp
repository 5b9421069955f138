#include "gumption/text/words.h"

namespace gumption {

std::string_view next_token(std::string_view& rest) {
  std::size_t begin = 0;
  while (begin < rest.size()) {
    const DecodedPoint point = decode_point(rest.substr(begin));
    if (!is_white_space(point.value)) break;
    begin += point.length;
  }
  std::size_t end = begin;
  while (end < rest.size()) {
    const DecodedPoint point = decode_point(rest.substr(end));
    if (is_white_space(point.value)) break;
    end += point.length;
  }
  const std::string_view token = rest.substr(begin, end - begin);
  rest.remove_prefix(end);
  return token;
}

std::size_t count_tokens(std::string_view text) {
  std::size_t count = 0;
  while (!next_token(text).empty()) ++count;
  return count;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for_each_word(text, [&](std::string_view word) { words.emplace_back(word); });
  return words;
}

}  // namespace gumption
