#include "gumption/corpus/hits.h"

#include <utility>

#include "gumption/text/words.h"

namespace gumption {

namespace {

std::string joined_words(std::string_view text) {
  std::string joined;
  for_each_word(text, [&](std::string_view word) {
    if (!joined.empty()) joined += ' ';
    joined += word;
  });
  return joined;
}

}  // namespace

HitQuery canonical(const HitQuery& query) {
  HitQuery plain{joined_words(query.first), joined_words(query.second), query.match};
  const bool second_holds_none = !query.second.empty() && plain.second.empty();
  if (plain.first.empty() || second_holds_none) return {};
  const bool lone_words = (plain.first + plain.second).find(' ') == std::string::npos;
  if (lone_words) plain.match = HitMatch::kPhrase;
  if (!plain.second.empty() && plain.second < plain.first) std::swap(plain.first, plain.second);
  return plain;
}

std::string key_of(const HitQuery& canonical_query) {
  const char* match = canonical_query.match == HitMatch::kPhrase ? "phrase" : "words";
  return std::string(match) + '\t' + canonical_query.first + '\t' + canonical_query.second;
}

}  // namespace gumption
