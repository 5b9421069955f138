#include "gumption/text/unicode.h"

#include <cstring>

#include <utf8proc.h>

namespace gumption {

namespace {

constexpr char32_t kReplacement = 0xFFFD;

utf8proc_category_t category_of(char32_t point) { return utf8proc_category(static_cast<utf8proc_int32_t>(point)); }

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

/// Bounds of a sequence by its first byte: its length and what the second byte may be (RFC 3629, Table 3-7 of Unicode).
struct LeadByte {
  std::size_t length;
  unsigned char second_low;
  unsigned char second_high;
};

LeadByte classify(unsigned char lead) {
  if (lead >= 0xC2 && lead <= 0xDF) return {2, 0x80, 0xBF};
  if (lead == 0xE0) return {3, 0xA0, 0xBF};
  if (lead == 0xED) return {3, 0x80, 0x9F};
  if (lead >= 0xE1 && lead <= 0xEF) return {3, 0x80, 0xBF};
  if (lead == 0xF0) return {4, 0x90, 0xBF};
  if (lead == 0xF4) return {4, 0x80, 0x8F};
  if (lead >= 0xF1 && lead <= 0xF3) return {4, 0x80, 0xBF};
  return {0, 0, 0};
}

}  // namespace

DecodedPoint decode_point(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1, true};
  const LeadByte shape = classify(lead);
  if (shape.length == 0) return {kReplacement, 1, false};
  char32_t value = lead & (0x7FU >> shape.length);
  for (std::size_t i = 1; i < shape.length; ++i) {
    if (i >= text.size()) return {kReplacement, i, false};
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool fits = i == 1 ? byte >= shape.second_low && byte <= shape.second_high : is_continuation(text[i]);
    if (!fits) return {kReplacement, i, false};
    value = (value << 6) | (byte & 0x3FU);
  }
  return {value, shape.length, true};
}

void append_point(std::string& text, char32_t point) {
  utf8proc_uint8_t bytes[4];
  const auto length = utf8proc_encode_char(static_cast<utf8proc_int32_t>(point), bytes);
  text.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(length));
}

std::optional<std::size_t> find_invalid_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    // Eight ASCII bytes at a time: most text is nothing else.
    if (at + 8 <= text.size()) {
      std::uint64_t word = 0;
      std::memcpy(&word, text.data() + at, 8);
      if ((word & 0x8080808080808080ULL) == 0) {
        at += 8;
        continue;
      }
    }
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      ++at;
      continue;
    }
    const DecodedPoint point = decode_point(text.substr(at));
    if (!point.valid) return at;
    at += point.length;
  }
  return std::nullopt;
}

std::string replace_invalid_utf8(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t good = find_invalid_utf8(text).value_or(text.size());
    result += text.substr(0, good);
    text.remove_prefix(good);
    if (text.empty()) break;
    append_point(result, kReplacement);
    text.remove_prefix(decode_point(text).length);
  }
  return result;
}

std::size_t count_points(std::string_view text) {
  std::size_t count = 0;
  for (const char byte : text) count += is_continuation(byte) ? 0 : 1;
  return count;
}

bool is_letter(char32_t point) {
  if (point < 0x80) return (point >= 'a' && point <= 'z') || (point >= 'A' && point <= 'Z');
  const auto category = category_of(point);
  return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
}

bool is_mark(char32_t point) {
  if (point < 0x80) return false;
  const auto category = category_of(point);
  return category >= UTF8PROC_CATEGORY_MN && category <= UTF8PROC_CATEGORY_ME;
}

bool is_digit(char32_t point) {
  if (point < 0x80) return point >= '0' && point <= '9';
  return category_of(point) == UTF8PROC_CATEGORY_ND;
}

bool is_white_space(char32_t point) {
  if (point < 0x80) return point == ' ' || (point >= '\t' && point <= '\r');
  if (point == 0x85) return true;
  const auto category = category_of(point);
  return category == UTF8PROC_CATEGORY_ZS || category == UTF8PROC_CATEGORY_ZL || category == UTF8PROC_CATEGORY_ZP;
}

char32_t to_lower(char32_t point) {
  if (point < 0x80) return point >= 'A' && point <= 'Z' ? point + ('a' - 'A') : point;
  return static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(point)));
}

std::string to_lower(std::string_view text) {
  std::string result(text);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const auto byte = static_cast<unsigned char>(result[i]);
    if (byte >= 0x80) {
      // From here on code points may change their length.
      std::string_view rest = text.substr(i);
      result.resize(i);
      while (!rest.empty()) {
        const DecodedPoint point = decode_point(rest);
        append_point(result, to_lower(point.value));
        rest.remove_prefix(point.length);
      }
      break;
    }
    if (byte >= 'A' && byte <= 'Z') result[i] = static_cast<char>(byte + ('a' - 'A'));
  }
  return result;
}

std::string squeeze_white_space(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  bool gap = false;
  while (!text.empty()) {
    const DecodedPoint point = decode_point(text);
    if (is_white_space(point.value)) {
      gap = !result.empty();
    } else {
      if (gap) result += ' ';
      gap = false;
      result += text.substr(0, point.length);
    }
    text.remove_prefix(point.length);
  }
  return result;
}

std::string_view trim(std::string_view text) {
  while (!text.empty()) {
    const DecodedPoint point = decode_point(text);
    if (!is_white_space(point.value)) break;
    text.remove_prefix(point.length);
  }
  while (!text.empty()) {
    std::size_t start = text.size() - 1;
    while (start > 0 && text.size() - start < 4 && is_continuation(text[start])) --start;
    if (!is_white_space(decode_point(text.substr(start)).value)) break;
    text.remove_suffix(text.size() - start);
  }
  return text;
}

const char* oddness_of(char32_t point) {
  if (point >= 0x20 && point < 0x7F) return nullptr;
  if (point == '\n' || point == '\r' || point == '\t') return nullptr;
  if (point < 0x20 || (point >= 0x7F && point < 0xA0)) return "control character";
  if (point == kReplacement) return "replacement character";
  if (point == 0xFEFF) return "byte-order mark";
  if (point == 0xAD) return "soft hyphen";
  if ((point & 0xFFFE) == 0xFFFE || (point >= 0xFDD0 && point <= 0xFDEF)) return "noncharacter";
  switch (category_of(point)) {
    case UTF8PROC_CATEGORY_CF:
      return "invisible character";
    case UTF8PROC_CATEGORY_CO:
      return "private-use character";
    case UTF8PROC_CATEGORY_CN:
      return "unassigned character";
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return "line separator";
    default:
      return nullptr;
  }
}

}  // namespace gumption
