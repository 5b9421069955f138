#pragma once

// UTF-8 and the properties of code points. All functions are thread-safe; texts are UTF-8 unless said otherwise.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gumption {

/// One code point and how many bytes it takes.
struct DecodedPoint {
  char32_t value = 0;
  std::size_t length = 0;
  bool valid = false;  // otherwise value is U+FFFD and length the bytes to skip (at least 1)
};

/// The code point at the start of `text`, which must not be empty. Never looks behind the end of `text`.
DecodedPoint decode_point(std::string_view text);

void append_point(std::string& text, char32_t point);

/// Byte position of the first thing that isn't well-formed UTF-8, if any.
std::optional<std::size_t> find_invalid_utf8(std::string_view text);

/// `text` with each maximal ill-formed part replaced by U+FFFD.
std::string replace_invalid_utf8(std::string_view text);

std::size_t count_points(std::string_view text);

bool is_letter(char32_t point);
bool is_mark(char32_t point);
bool is_digit(char32_t point);
bool is_white_space(char32_t point);

/// One-to-one lower case.
char32_t to_lower(char32_t point);
std::string to_lower(std::string_view text);

/// Without white space at the ends, each inner run of it as one space.
std::string squeeze_white_space(std::string_view text);

/// `text` without white space at its ends; a view into it.
std::string_view trim(std::string_view text);

/// What is suspicious about a code point in written English text ("control character", "replacement character", …);
/// nullptr where nothing is.
const char* oddness_of(char32_t point);

}  // namespace gumption
