#include "gumption/text/added_tokens.h"

#include <algorithm>
#include <cstring>

#include "gumption/text/unicode.h"

namespace gumption {

namespace {

bool is_word_point(char32_t point) { return point == '_' || is_letter(point) || is_mark(point) || is_digit(point); }

/// Where the last code point of `text` begins; `text` must not be empty.
std::size_t last_point(std::string_view text) {
  std::size_t at = text.size() - 1;
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
  return at;
}

bool stands_alone(std::string_view text, std::size_t begin, std::size_t end) {
  const std::string_view before = text.substr(0, begin);
  const std::string_view behind = text.substr(end);
  if (!before.empty() && is_word_point(decode_point(before.substr(last_point(before))).value)) return false;
  return behind.empty() || !is_word_point(decode_point(behind).value);
}

std::size_t skip_space_before(std::string_view text, std::size_t begin, std::size_t limit) {
  while (begin > limit) {
    const std::size_t at = last_point(text.substr(0, begin));
    if (at < limit || !is_white_space(decode_point(text.substr(at)).value)) break;
    begin = at;
  }
  return begin;
}

std::size_t skip_space_behind(std::string_view text, std::size_t end) {
  while (end < text.size()) {
    const DecodedPoint point = decode_point(text.substr(end));
    if (!is_white_space(point.value)) break;
    end += point.length;
  }
  return end;
}

}  // namespace

AddedTokenFinder::AddedTokenFinder(const std::vector<AddedToken>& tokens, const std::vector<std::string>& patterns) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (patterns[i].empty()) continue;
    entries_.push_back({patterns[i], i, tokens[i].single_word, tokens[i].left_strip, tokens[i].right_strip});
    begins_[static_cast<unsigned char>(patterns[i][0])] = true;
  }
  std::stable_sort(entries_.begin(), entries_.end(),
                   [](const Entry& a, const Entry& b) { return a.pattern.size() > b.pattern.size(); });
  if (std::count(begins_.begin(), begins_.end(), true) == 1) {
    only_first_byte_ = static_cast<unsigned char>(entries_.front().pattern[0]);
  }
}

std::size_t AddedTokenFinder::find_first_byte(std::string_view text, std::size_t from) const {
  if (from >= text.size()) return kNone;
  if (only_first_byte_ >= 0) {
    const auto* found = static_cast<const char*>(std::memchr(text.data() + from, only_first_byte_, text.size() - from));
    return found == nullptr ? kNone : static_cast<std::size_t>(found - text.data());
  }
  while (from < text.size() && !begins_[static_cast<unsigned char>(text[from])]) ++from;
  return from < text.size() ? from : kNone;
}

const AddedTokenFinder::Entry* AddedTokenFinder::match_at(std::string_view text, std::size_t at) const {
  const std::string_view rest = text.substr(at);
  for (const Entry& entry : entries_) {
    if (rest.starts_with(entry.pattern)) return &entry;
  }
  return nullptr;
}

bool AddedTokenFinder::find(std::string_view text, Cursor& cursor, Part& found) const {
  while (true) {
    const std::size_t begin = find_first_byte(text, cursor.search);
    if (begin == kNone) return false;
    const Entry* entry = match_at(text, begin);
    if (entry == nullptr) {
      cursor.search = begin + 1;
      continue;
    }
    cursor.search = begin + entry->pattern.size();
    if (entry->single_word && !stands_alone(text, begin, cursor.search)) continue;
    found = {begin, cursor.search, entry->token};
    if (entry->left_strip) found.begin = skip_space_before(text, begin, cursor.at);
    if (entry->right_strip) found.end = skip_space_behind(text, cursor.search);
    return true;
  }
}

bool AddedTokenFinder::next(std::string_view text, Cursor& cursor, Part& part) const {
  if (cursor.has_pending) {
    part = cursor.pending;
    cursor.has_pending = false;
    cursor.at = part.end;
    return true;
  }
  if (cursor.at >= text.size()) return false;
  Part found;
  if (entries_.empty() || !find(text, cursor, found)) {
    part = {cursor.at, text.size(), kNone};
    cursor.at = text.size();
    return true;
  }
  found.begin = std::max(found.begin, cursor.at);  // the token before may have taken white space that this begins with
  found.end = std::max(found.end, found.begin);
  if (found.begin > cursor.at) {
    part = {cursor.at, found.begin, kNone};
    cursor.pending = found;
    cursor.has_pending = true;
    return true;
  }
  part = found;
  cursor.at = found.end;
  return true;
}

}  // namespace gumption
