#pragma once

// What the treebank lexer's patterns are made of.

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "gumption/text/unicode.h"

namespace gumption::treebank {

// No pattern is looked for over more bytes than this, or text without spaces would take quadratic time.
inline constexpr std::size_t kLongest = 512;

inline bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
inline bool is_number(char c) { return c >= '0' && c <= '9'; }
inline bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }
inline bool is_one_of(char c, std::string_view set) { return c != '\0' && set.find(c) != std::string_view::npos; }

inline constexpr std::array kApostrophes = {std::string_view("'"), std::string_view("’"), std::string_view("\u0092"),
                                            std::string_view("&apos;")};
inline constexpr std::array kBackQuotes = {std::string_view("`"), std::string_view("‘"), std::string_view("‛")};

/// Looks at one place of a text. Positions count from there; behind the end stand NUL characters. Functions named after
/// a thing give the position behind it, or 0 (or where they began) when it isn't there.
class Scan {
 public:
  explicit Scan(std::string_view rest) : rest_(rest) {}

  char at(std::size_t i) const { return i < rest_.size() ? rest_[i] : '\0'; }

  std::string_view rest() const { return rest_; }

  std::size_t space(std::size_t i) const {
    if (i >= rest_.size()) return 0;
    const DecodedPoint point = decode_point(rest_.substr(i));
    const bool blank = is_white_space(point.value) || point.value == 0x200B || point.value == 0xFEFF;
    if (blank) return i + point.length;
    return rest_.substr(i).starts_with("&nbsp;") ? i + 6 : 0;
  }

  bool ends_or_space(std::size_t i) const { return i >= rest_.size() || space(i) > 0; }

  template <class List>
  std::size_t any_of(const List& list, std::size_t i) const {
    if (i >= rest_.size()) return 0;
    for (const std::string_view entry : list) {
      if (rest_.substr(i).starts_with(entry)) return i + entry.size();
    }
    return 0;
  }

  std::size_t apostrophe(std::size_t i) const { return any_of(kApostrophes, i); }

  std::size_t apostrophe_or_back_quote(std::size_t i) const {
    const std::size_t end = apostrophe(i);
    return end > 0 ? end : any_of(kBackQuotes, i);
  }

  std::size_t letter(std::size_t i) const {
    const char c = at(i);
    if (is_alpha(c)) return i + 1;
    if (static_cast<unsigned char>(c) < 0x80) return 0;
    const DecodedPoint point = decode_point(rest_.substr(i));
    const bool inside = is_letter(point.value) || is_mark(point.value) || point.value == 0xAD;
    return inside && point.value < 0x10000 ? i + point.length : 0;
  }

  std::size_t letters(std::size_t i) const {
    for (std::size_t end = letter(i); end > 0; end = letter(i)) i = end;
    return i;
  }

  std::size_t letters_and_digits(std::size_t i) const {
    while (true) {
      const std::size_t end = is_number(at(i)) ? i + 1 : letter(i);
      if (end == 0) return i;
      i = end;
    }
  }

  std::size_t digits(std::size_t i, std::size_t most = kLongest) const {
    const std::size_t stop = i + most;
    while (i < stop && is_number(at(i))) ++i;
    return i;
  }

  template <class Test>
  std::size_t run(std::size_t i, const Test& test) const {
    const std::size_t stop = std::min(rest_.size(), i + kLongest);
    while (i < stop && test(rest_[i])) ++i;
    return i;
  }

  std::size_t skip_space(std::size_t i) const {
    for (std::size_t end = space(i); end > 0; end = space(i)) i = end;
    return i;
  }

 private:
  std::string_view rest_;
};

/// Patterns of numbers: 3/4/2003, 1 1/2, (555) 123-4567.
std::size_t match_date(const Scan& scan);
std::size_t match_fraction(const Scan& scan);
std::size_t match_telephone(const Scan& scan);

/// <b>, http://…, name@host.
std::size_t match_tag(const Scan& scan);
std::size_t match_url(const Scan& scan);
std::size_t match_email(const Scan& scan);

}  // namespace gumption::treebank
