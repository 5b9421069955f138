#include "gumption/text/treebank_lexer.h"

#include <algorithm>
#include <array>

#include "gumption/text/treebank_words.h"
#include "gumption/text/unicode.h"

namespace gumption {

namespace {

// No pattern is looked for over more bytes than this, or text without spaces would take quadratic time.
constexpr std::size_t kLongest = 512;

bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_number(char c) { return c >= '0' && c <= '9'; }
bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }
bool is_one_of(char c, std::string_view set) { return c != '\0' && set.find(c) != std::string_view::npos; }

constexpr std::array kApostrophes = {std::string_view("'"), std::string_view("’"), std::string_view("\u0092"),
                                     std::string_view("&apos;")};
constexpr std::array kBackQuotes = {std::string_view("`"), std::string_view("‘"), std::string_view("‛")};

/// Looks at one place of a text. Positions count from there; behind the end stand NUL characters. Functions named after
/// a thing give the position behind it, or 0 (or where they began) when it isn't there.
class Lexer {
 public:
  explicit Lexer(std::string_view rest) : rest_(rest) {}

  TreebankMatch match() {
    if (const std::size_t end = space(0); end > 0) return {TreebankKind::kSpace, end, end};
    words();
    apostrophe_words();
    abbreviations();
    numbers();
    addresses();
    marks();
    if (best_.length == 0) other();
    return best_;
  }

 private:
  char at(std::size_t i) const { return i < rest_.size() ? rest_[i] : '\0'; }

  /// Takes a pattern that ends at `length` and looked as far as `reach`, unless an earlier one reached as far.
  void consider(TreebankKind kind, std::size_t length, std::size_t reach = 0) {
    reach = std::max(reach, length);
    if (length == 0 || reach <= reach_) return;
    best_ = {kind, length, length};
    reach_ = reach;
  }

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

  /// A letter, letters and digits, and more of them behind a . ! or ? inside: "end.Start".
  std::size_t word(std::size_t i) const {
    if (letter(i) == 0) return 0;
    i = letters_and_digits(i);
    while (is_one_of(at(i), ".!?") && letter(i + 1) > 0) i = letters_and_digits(i + 1);
    return i;
  }

  /// 's 'm 'd 're 've 'll.
  std::size_t clitic(std::size_t i) const {
    const std::size_t begin = apostrophe(i);
    if (begin == 0) return 0;
    if (is_one_of(at(begin), "msdMSD")) return begin + 1;
    const auto pair = [&](char first, char second) {
      return (at(begin) | 0x20) == first && (at(begin + 1) | 0x20) == second;
    };
    return pair('r', 'e') || pair('v', 'e') || pair('l', 'l') ? begin + 2 : 0;
  }

  /// n't.
  std::size_t negation(std::size_t i) const {
    if (!is_one_of(at(i), "nN")) return 0;
    const std::size_t end = apostrophe_or_back_quote(i + 1);
    return end > 0 && is_one_of(at(end), "tT") ? end + 1 : 0;
  }

  void words() {
    const std::size_t end = word(0);
    if (end > 0) {
      if (const std::size_t cut = treebank_cut(rest_.substr(0, end)); cut > 0) consider(TreebankKind::kPlain, cut, end);
      negated_word();
      consider(TreebankKind::kPlain, end, clitic(end));
      if (at(end) == '.' && is_one_of(at(end + 1), ",;:")) consider(TreebankKind::kPlain, end + 1, end + 2);
    }
    const auto behind = [&](std::size_t clitic_end) {
      return clitic_end > 0 && !is_alpha(at(clitic_end)) ? clitic_end + 1 : 0;
    };
    if (const std::size_t not_end = negation(0); behind(not_end) > 0)
      consider(TreebankKind::kPlain, not_end, not_end + 1);
    if (const std::size_t short_end = clitic(0); behind(short_end) > 0) {
      consider(TreebankKind::kPlain, short_end, short_end + 1);
    }
    thing();
    long_hyphenated();
    slashed();
    underscored();
    capitals_with_ampersand();
  }

  /// "could" of "couldn't": letters up to the last n before an apostrophe and t.
  void negated_word() {
    const std::size_t end = letters(0);
    if (end < 2) return;
    const std::size_t stem = end - 1;
    const std::size_t not_end = negation(stem);
    if (not_end > 0) consider(TreebankKind::kPlain, stem, not_end);
  }

  /// 12th, 10-year-old, o'clock.
  void thing() {
    std::size_t i = 0;
    if (is_one_of(at(0), "dDoOlL")) {
      const std::size_t end = apostrophe_or_back_quote(1);
      if (end > 0 && letter(end) > 0) i = end;
    }
    std::size_t end = letters_and_digits(i);
    if (end == i) return;
    while (true) {
      std::size_t hyphen =
          at(end) == '-' ? end + 1 : any_of(std::array{std::string_view("‐"), std::string_view("‑")}, end);
      if (hyphen == 0) break;
      if (is_one_of(at(hyphen), "dDoOlL")) {
        const std::size_t quote = apostrophe(hyphen + 1);
        if (quote > 0 && letter(quote) > 0) hyphen = quote;
      }
      const std::size_t next = letters_and_digits(hyphen);
      if (next == hyphen) break;
      end = next;
    }
    consider(TreebankKind::kPlain, end, clitic(end));
  }

  /// U.S.-led, 5,000-strong, 5-p.m.
  void long_hyphenated() {
    const auto inside = [](char c) { return is_alpha(c) || is_number(c) || c == '.' || c == ','; };
    if (!is_alpha(at(0)) && !is_number(at(0))) return;
    std::size_t i = run(0, inside);
    std::size_t end = 0;
    while (at(i) == '-') {
      const std::size_t acronym = dotted_letters(i + 1);
      std::size_t next = run(i + 1, [](char c) { return is_alpha(c) || is_number(c); });
      if (acronym > i + 2 && at(acronym) == '.') next = std::max(next, acronym + 1);
      if (next == i + 1) break;
      end = i = next;
    }
    consider(TreebankKind::kPlain, end, clitic(end));
  }

  /// a/b, and/or, he/she/it.
  void slashed() {
    const auto part = [&](std::size_t i) {
      std::size_t end = run(i, [](char c) { return is_alpha(c) || is_number(c); });
      if (end == i) return i;
      for (int hyphens = 0; hyphens < 2 && at(end) == '-' && is_alpha(at(end + 1)); ++hyphens)
        end = run(end + 1, is_alpha);
      return end;
    };
    std::size_t end = part(0);
    if (end == 0) return;
    std::size_t parts = 1;
    while (parts < 3 && at(end) == '/' && part(end + 1) > end + 1) {
      end = part(end + 1);
      ++parts;
    }
    if (parts > 1) consider(TreebankKind::kPlain, end, clitic(end));
  }

  /// foo_bar.
  void underscored() {
    std::size_t end = letters_and_digits(0);
    if (end == 0 || at(end) != '_') return;
    while (at(end) == '_' && letters_and_digits(end + 1) > end + 1) end = letters_and_digits(end + 1);
    consider(TreebankKind::kPlain, end);
  }

  /// AT&T.
  void capitals_with_ampersand() {
    std::size_t end = run(0, is_capital);
    if (end == 0) return;
    while (true) {
      const std::size_t sign = is_one_of(at(end), "&+") ? end + (rest_.substr(end).starts_with("&amp;") ? 5 : 1) : 0;
      if (sign == 0 || !is_capital(at(sign))) break;
      end = run(sign, is_capital);
      consider(TreebankKind::kPlain, end, clitic(end));
    }
  }

  /// Words that begin with an apostrophe or hold one and stay whole: 'em, 'n', '80s, O'Brien, ma'am.
  void apostrophe_words() {
    if (const std::size_t begin = apostrophe(0); begin > 0) {
      apostrophe_first(begin);
      return;
    }
    const std::size_t end = letters(0);
    const std::size_t quote = end > 0 ? apostrophe_or_back_quote(end) : 0;
    if (quote == 0) return;
    const std::string_view head = rest_.substr(0, end);
    const std::size_t tail_end = letters(quote);
    const std::string_view tail = rest_.substr(quote, tail_end - quote);
    const bool plain = apostrophe(end) > 0;
    if (plain && (head == "ol" || head == "Dunkin" || head == "somethin")) consider(TreebankKind::kPlain, quote);
    if (plain && head.size() == 1 && is_one_of(head[0], "lLdDjJ")) consider(TreebankKind::kPlain, quote);
    if (plain && head == "y" && !tail.empty()) consider(TreebankKind::kPlain, quote, quote + 1);
    if (tail.empty()) return;
    const bool name = head.size() == 1 && tail.size() >= 2 &&
                      (head[0] == 'n' || (is_capital(head[0]) && head[0] != 'I' && head[0] != 'Y'));
    const bool vowels = head.size() >= 2 && is_one_of(head.back(), "aeiouyAEIOUY") &&
                        (is_one_of(tail.front(), "aeiou") || is_capital(tail.front()));
    const bool clitic_only = clitic(end) == tail_end;
    const bool listed = is_apostrophe_word(std::string(head) + "'" + std::string(tail));
    if (((name || vowels) && !clitic_only) || listed) consider(TreebankKind::kPlain, tail_end);
  }

  void apostrophe_first(std::size_t begin) {
    const std::size_t end = letters(begin);
    const std::string_view tail = rest_.substr(begin, end - begin);
    if (tail == "tis" || tail == "twas" || tail == "Tis" || tail == "Twas") {
      consider(TreebankKind::kPlain, begin + 1, end);
    } else if (tail == "em" || tail == "cause" || tail == "til" || tail == "till") {
      consider(TreebankKind::kPlain, end, end + 1);
    } else if (tail == "n") {
      consider(TreebankKind::kPlain, std::max(end, apostrophe(end)), end + 2);
    }
    const std::size_t year = digits(begin);
    if (year != begin + 2) return;
    if (at(begin) >= '2' && at(begin + 1) == '0' && at(year) == 's') consider(TreebankKind::kPlain, year + 1);
    if (letter(year) == 0 && apostrophe(year) == 0) consider(TreebankKind::kPlain, year, year + 1);
  }

  /// Behind single letters with periods between: "U.S" of "U.S."
  std::size_t dotted_letters(std::size_t i) const {
    if (!is_alpha(at(i))) return 0;
    ++i;
    while (at(i) == '.' && is_alpha(at(i + 1))) i += 2;
    return i;
  }

  /// Behind white space at `i` and a word that begins a sentence, with white space behind that.
  std::size_t sentence_start(std::size_t i) const {
    const std::size_t begin = skip_space(i);
    const std::size_t end = begin > i ? run(begin, is_alpha) : begin;
    const bool starts = end > begin && ends_or_space(end) && starts_treebank_sentence(rest_.substr(begin, end - begin));
    return starts ? end + 1 : 0;
  }

  std::size_t skip_space(std::size_t i) const {
    for (std::size_t end = space(i); end > 0; end = space(i)) i = end;
    return i;
  }

  void abbreviations() {
    const std::size_t acronym = dotted_letters(0);
    if (acronym > 0 && at(acronym) == '.' && letter(acronym + 1) == 0) {
      const std::size_t start = sentence_start(acronym + 1);
      if (start > 0 && acronym == 1) {
        consider(TreebankKind::kPlain, 1, start);
      } else if (start > 0) {
        consider_twice(acronym, start);
      } else {
        consider(TreebankKind::kPlain, acronym + 1, acronym + 2);
      }
    }
    const bool doctor = rest_.starts_with("Ph.D.") || rest_.starts_with("Ed.D.");
    const std::size_t end = doctor ? 4 : run(0, is_alpha);
    if (end < 2 || at(end) != '.') return;
    switch (doctor ? TreebankPeriod::kKeptTwice : treebank_period(rest_.substr(0, end))) {
      case TreebankPeriod::kKept:
        consider(TreebankKind::kPlain, end + 1);
        break;
      case TreebankPeriod::kKeptTwice:
        if (capital_follows(end + 1) || skip_space(end + 1) >= rest_.size()) {
          consider_twice(end, end + 2);
        } else {
          consider(TreebankKind::kPlain, end + 1);
        }
        break;
      case TreebankPeriod::kBeforeDigit:
        if (is_number(at(skip_space(end + 1)))) consider(TreebankKind::kPlain, end + 1, end + 2);
        break;
      case TreebankPeriod::kSeparate:
        break;
    }
  }

  /// A word and its period at `end`, which then is a token of its own too.
  void consider_twice(std::size_t end, std::size_t reach) {
    if (reach <= reach_) return;
    consider(TreebankKind::kPlain, end + 1, reach);
    best_.advance = end;
  }

  bool capital_follows(std::size_t i) const {
    const std::size_t begin = skip_space(i);
    if (begin == i || begin >= rest_.size()) return false;
    const char32_t point = decode_point(rest_.substr(begin)).value;
    return is_letter(point) && to_lower(point) != point;
  }

  void numbers() {
    const std::size_t sign = is_one_of(at(0), "+-") ? 1 : 0;
    std::size_t end = digits(sign);
    while (is_one_of(at(end), ".:,") && is_number(at(end + 1))) end = digits(end + 1);
    if (end > sign) consider(TreebankKind::kPlain, end, clitic(end));
    consider(TreebankKind::kPlain, date());
    consider(TreebankKind::kPlain, fraction());
    consider(TreebankKind::kPlain, telephone());
  }

  /// Between `low` and `high` digits and none behind them; 0 otherwise.
  std::size_t group(std::size_t i, std::size_t low, std::size_t high) const {
    const std::size_t end = digits(i);
    return end - i >= low && end - i <= high ? end : 0;
  }

  std::size_t date() const {
    const std::size_t day = group(0, 1, 2);
    if (day == 0 || !is_one_of(at(day), "-/")) return 0;
    const std::size_t month = group(day + 1, 1, 2);
    if (month == 0 || !is_one_of(at(month), "-/")) return 0;
    const std::size_t year = digits(month + 1, 4);
    return year - month > 2 ? year : 0;
  }

  std::size_t fraction() const {
    const auto simple = [&](std::size_t i) -> std::size_t {
      const std::size_t over = group(i, 1, 4);
      if (over == 0 || at(over) != '/') return 0;
      const std::size_t end = digits(over + 1, 4);
      return end > over + 1 ? end : 0;
    };
    const std::size_t whole = group(0, 1, 4);
    const std::size_t mixed = whole > 0 && is_one_of(at(whole), "- ") ? simple(whole + 1) : 0;
    return std::max(simple(0), mixed);
  }

  /// 555-1234567, (555) 123-4567, 55 555 123 4567, 555.123.4567.
  std::size_t telephone() const {
    if (at(0) == '(') {
      const std::size_t area = group(1, 2, 3);
      if (area == 0 || at(area) != ')') return 0;
      return telephone_end(area + 1 + (at(area + 1) == ' ' ? 1 : 0));
    }
    std::size_t begin = 0;
    while (begin < 2 && at(begin) == '+') ++begin;
    const std::size_t first = group(begin, 2, 4);
    if (first == 0) return 0;
    if (at(first) == '.') return std::max(dotted_telephone(begin), dotted_telephone(first + 1));
    if (!is_one_of(at(first), "- ")) return 0;
    const std::size_t second = group(first + 1, 2, 4);
    const std::size_t longer = second > 0 && is_one_of(at(second), "- ") ? telephone_end(second + 1) : 0;
    return std::max(telephone_end(first + 1), longer);
  }

  std::size_t telephone_end(std::size_t i) const {
    const std::size_t end = digits(i);
    if (end - i >= 6) return std::min(end, i + 9);
    if (end - i < 3 || end - i > 4 || !is_one_of(at(end), "- ")) return 0;
    const std::size_t last = digits(end + 1, 5);
    return last - end > 3 ? last : 0;
  }

  std::size_t dotted_telephone(std::size_t i) const {
    const std::size_t first = group(i, 2, 4);
    if (first == 0 || at(first) != '.') return 0;
    const std::size_t second = group(first + 1, 3, 4);
    if (second == 0 || at(second) != '.') return 0;
    const std::size_t last = digits(second + 1, 5);
    return last - second > 3 ? last : 0;
  }

  void addresses() {
    consider(TreebankKind::kTag, tag());
    url();
    email();
    if (at(0) == '@' && (is_alpha(at(1)) || at(1) == '_')) {
      consider(TreebankKind::kPlain, run(1, [](char c) { return is_alpha(c) || is_number(c) || c == '_'; }));
    }
    if (at(0) == '#' && letter(1) > 0) consider(TreebankKind::kPlain, letters(1));
  }

  static bool in_name(char c) { return is_alpha(c) || is_number(c) || is_one_of(c, "_:.-"); }

  /// <b>, </b>, <a href="x">, <!-- x -->.
  std::size_t tag() const {
    if (at(0) != '<') return 0;
    if (is_one_of(at(1), "!?") && (is_alpha(at(2)) || at(2) == '-')) {
      const std::size_t end = run(2, [](char c) { return c != '>' && c != '\n' && c != '\r'; });
      return at(end) == '>' ? end + 1 : 0;
    }
    std::size_t i = at(1) == '/' ? 2 : 1;
    if (!is_alpha(at(i))) return 0;
    i = run(i, in_name);
    while (at(i) == ' ') {
      i = run(i, [](char c) { return c == ' '; });
      if (!is_alpha(at(i))) break;
      i = attribute(i);
      if (i == 0) return 0;
    }
    if (at(i) == '/') ++i;
    return at(i) == '>' ? i + 1 : 0;
  }

  std::size_t attribute(std::size_t i) const {
    i = run(i, in_name);
    if (at(i) != '=') return i;
    ++i;
    if (!is_one_of(at(i), "\"'")) return is_alpha(at(i)) ? run(i, in_name) : 0;
    const char quote = at(i);
    const std::size_t end = run(i + 1, [quote](char c) { return c != quote && c != '\n'; });
    return at(end) == quote ? end + 1 : 0;
  }

  /// Behind what may stand in the path of an address from `i` on, without the punctuation that ends the sentence.
  std::size_t path(std::size_t i) const {
    const std::size_t begin = i;
    i = run(i, [](char c) { return !is_one_of(c, " \t\n\f\r\"<>|()") && c != '\0'; });
    while (i > begin && is_one_of(at(i - 1), ".!?(){},-")) --i;
    return i;
  }

  void url() {
    for (const std::string_view scheme : {"http://", "https://"}) {
      if (!rest_.starts_with(scheme)) continue;
      const std::size_t end = path(scheme.size());
      if (end > scheme.size() + 1) consider(TreebankKind::kPlain, end);
    }
    const std::size_t host = run(0, [](char c) { return is_alpha(c) || is_number(c) || c == '.' || c == '-'; });
    const std::string_view name = rest_.substr(0, host);
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos || dot == 0) return;
    const std::string_view top = name.substr(dot + 1);
    const bool known = top == "com" || top == "net" || top == "org" || top == "edu";
    if (!known && !(name.starts_with("www.") && dot > 4)) return;
    std::size_t end = host;
    if (at(host) == '/') {
      const std::size_t path_end = path(host + 1);
      if (path_end > host + 2) end = path_end;
    }
    consider(TreebankKind::kPlain, end);
  }

  void email() {
    if (!is_alpha(at(0)) && !is_number(at(0))) return;
    const auto inside = [](char c) { return !is_one_of(c, " \t\n\f\r\"<>|()@") && c != '\0' && c != '\xC2'; };
    const std::size_t sign = run(0, inside);
    if (at(sign) != '@') return;
    std::size_t end = run(sign + 1, inside);
    while (end > sign + 1 && at(end - 1) == '.') --end;
    if (end > sign + 1) consider(TreebankKind::kPlain, end);
  }

  void marks() {
    quotes();
    smileys();
    if (is_one_of(at(0), "?!")) consider(TreebankKind::kPlain, run(0, [](char c) { return c == '?' || c == '!'; }));
    consider(TreebankKind::kEllipsis, ellipsis());
    dashes();
    if (is_one_of(at(0), "()[]{}")) consider(TreebankKind::kBracket, 1);
    if (is_one_of(at(0), "*_#")) consider(TreebankKind::kPlain, run(0, [first = at(0)](char c) { return c == first; }));
    if (is_one_of(at(0), "<>@") && at(1) == at(0)) consider(TreebankKind::kPlain, 2);
    if (const std::size_t sum = run(0, is_capital); at(sum) == '$') consider(TreebankKind::kPlain, sum + 1);
    for (const std::string_view sign : {"£", "€", "¢"}) {
      if (rest_.starts_with(sign)) consider(TreebankKind::kCurrency, sign.size());
    }
    for (const std::string_view sign : {"¼", "½", "¾", "⅓", "⅔"}) {
      if (rest_.starts_with(sign)) consider(TreebankKind::kFraction, sign.size());
    }
    for (const std::string_view entity : {"&amp;", "&lt;", "&gt;", "&mdash;", "&ndash;", "&#151;"}) {
      if (rest_.starts_with(entity)) consider(TreebankKind::kEntity, entity.size());
    }
  }

  void quotes() {
    for (const std::string_view quote : {"\"", "&quot;"}) {
      if (!rest_.starts_with(quote)) continue;
      const char next = at(quote.size());
      const bool opens = is_alpha(next) || is_number(next) || next == '$';
      consider(opens ? TreebankKind::kOpenQuote : TreebankKind::kCloseQuote, quote.size());
    }
    for (const std::string_view quote : {"``", "“", "«"}) {
      if (rest_.starts_with(quote)) consider(TreebankKind::kOpenQuote, quote.size());
    }
    for (const std::string_view quote : {"''", "”", "»"}) {
      if (rest_.starts_with(quote)) consider(TreebankKind::kCloseQuote, quote.size());
    }
    for (const std::string_view quote : {"`", "‘", "‹", "‛"}) {
      if (rest_.starts_with(quote)) consider(TreebankKind::kOpenSingleQuote, quote.size());
    }
    if (rest_.starts_with("›")) consider(TreebankKind::kCloseSingleQuote, std::string_view("›").size());
    const std::size_t end = apostrophe(0);
    if (end == 0) return;
    const bool opens = at(0) == '\'' && is_alpha(at(1)) && !ends_or_space(2);
    if (opens) consider(TreebankKind::kOpenSingleQuote, end, end + 2);
    consider(TreebankKind::kCloseSingleQuote, end);
  }

  void smileys() {
    std::size_t i = is_one_of(at(0), "<>") ? 1 : 0;
    if (is_one_of(at(i), ":;=")) {
      ++i;
      if (is_one_of(at(i), "-o*'") && is_one_of(at(i + 1), "()DPdpO\\{@|[]")) ++i;
      if (is_one_of(at(i), "()DPdpO\\{@|[]") && !is_alpha(at(i + 1))) consider(TreebankKind::kSmiley, i + 1, i + 2);
    }
    constexpr std::string_view kEyes = "-^x=~<>'";
    if (is_one_of(at(0), kEyes) && at(1) == '_' && is_one_of(at(2), kEyes)) consider(TreebankKind::kSmiley, 3);
    if (at(0) == '(' && is_one_of(at(1), kEyes)) {
      const std::size_t mouth = is_one_of(at(2), "_.") ? 3 : 2;
      if (is_one_of(at(mouth), kEyes) && at(mouth + 1) == ')') consider(TreebankKind::kSmiley, mouth + 2);
    }
  }

  std::size_t ellipsis() const {
    if (rest_.starts_with("…")) return std::string_view("…").size();
    if (at(0) != '.') return 0;
    const std::size_t dots = run(0, [](char c) { return c == '.'; });
    if (dots >= 3) return std::min<std::size_t>(dots, 5);
    std::size_t spaced = 1;
    while (spaced < 9 && at(spaced) == ' ' && at(spaced + 1) == '.') spaced += 2;
    return spaced >= 5 ? spaced : 0;
  }

  void dashes() {
    const std::size_t hyphens = run(0, [](char c) { return c == '-'; });
    if (hyphens >= 2) consider(hyphens <= 4 ? TreebankKind::kDash : TreebankKind::kPlain, hyphens);
    for (const std::string_view dash : {"–", "—", "―", "\u0096", "\u0097"}) {
      if (rest_.starts_with(dash)) consider(TreebankKind::kDash, dash.size());
    }
  }

  /// A character by itself, or what is left out.
  void other() {
    const DecodedPoint point = decode_point(rest_);
    const bool odd = !point.valid || point.value >= 0x10000 || oddness_of(point.value) != nullptr;
    best_ = {odd ? TreebankKind::kNone : TreebankKind::kPlain, point.length, point.length};
  }

  std::string_view rest_;
  TreebankMatch best_;
  std::size_t reach_ = 0;
};

}  // namespace

TreebankMatch match_treebank(std::string_view rest) { return Lexer(rest).match(); }

}  // namespace gumption
