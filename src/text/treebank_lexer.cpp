#include "gumption/text/treebank_lexer.h"

#include <algorithm>
#include <array>

#include "gumption/text/treebank_scan.h"
#include "gumption/text/treebank_words.h"
#include "gumption/text/unicode.h"

namespace gumption {

namespace {

using namespace treebank;

/// Tries all patterns at one place and keeps the best.
class Lexer : private Scan {
 public:
  explicit Lexer(std::string_view rest) : Scan(rest) {}

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
  /// Takes a pattern that ends at `length` and looked as far as `reach`, unless an earlier one reached as far.
  void consider(TreebankKind kind, std::size_t length, std::size_t reach = 0) {
    reach = std::max(reach, length);
    if (length == 0 || reach <= reach_) return;
    best_ = {kind, length, length};
    reach_ = reach;
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
      if (const std::size_t cut = treebank_cut(rest().substr(0, end)); cut > 0)
        consider(TreebankKind::kPlain, cut, end);
      negated_word();
      consider(TreebankKind::kPlain, end, clitic(end));
    }
    const auto behind = [&](std::size_t clitic_end) {
      return clitic_end > 0 && !is_alpha(at(clitic_end)) ? clitic_end + 1 : 0;
    };
    if (const std::size_t not_end = negation(0); behind(not_end) > 0)
      consider(TreebankKind::kClitic, not_end, not_end + 1);
    if (const std::size_t short_end = clitic(0); behind(short_end) > 0) {
      consider(TreebankKind::kClitic, short_end, short_end + 1);
    }
    for (const std::string_view language : {"C++", "c++", "C#", "c#", "F#", "f#"}) {
      if (rest().starts_with(language)) consider(TreebankKind::kPlain, language.size());
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
      if (end > 0 && letter(end) > 0 && letter(letter(end)) > 0) i = end;
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
    if (at(end) == '.' && is_one_of(at(end + 1), ",;:")) consider(TreebankKind::kPlain, end + 1, end + 2);
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
      const std::size_t sign = is_one_of(at(end), "&+") ? end + (rest().substr(end).starts_with("&amp;") ? 5 : 1) : 0;
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
    const std::string_view head = rest().substr(0, end);
    const std::size_t tail_end = letters(quote);
    const std::string_view tail = rest().substr(quote, tail_end - quote);
    const bool plain = apostrophe(end) > 0;
    if (plain && (head == "ol" || head == "Ol" || head == "Dunkin" || head == "somethin"))
      consider(TreebankKind::kPlain, quote);
    if (plain && head.size() == 1 && is_one_of(head[0], "lLdDjJ")) consider(TreebankKind::kPlain, quote);
    if (plain && (head == "y" || head == "Y") && !tail.empty()) consider(TreebankKind::kPlain, quote, quote + 1);
    if (tail.empty()) return;
    const bool name = head.size() == 1 && tail.size() >= 2 &&
                      (head[0] == 'n' || (is_capital(head[0]) && head[0] != 'I' && head[0] != 'Y'));
    const bool vowels = head.size() >= 2 && is_one_of(head.back(), "aeiouyAEIOUY") &&
                        (is_one_of(tail.front(), "aeiou") || is_capital(tail.front()));
    const bool clitic_only = clitic(end) == tail_end;
    const bool listed = is_apostrophe_word(rest().substr(0, tail_end));
    if (((name || vowels) && !clitic_only) || listed) consider(TreebankKind::kPlain, tail_end);
  }

  /// As in the original, what follows 'em and its like doesn't matter: "'emily" is cut too.
  void apostrophe_first(std::size_t begin) {
    const auto goes_on = [&](std::string_view tail) {
      for (std::size_t i = 0; i < tail.size(); ++i) {
        if ((at(begin + i) | 0x20) != tail[i]) return false;
      }
      return true;
    };
    if (begin == 1 && (goes_on("tis") || goes_on("twas"))) consider(TreebankKind::kPlain, begin + 1, begin + 3);
    for (const std::string_view tail : {"em", "cause", "til", "till"}) {
      if (goes_on(tail)) consider(TreebankKind::kPlain, begin + tail.size());
    }
    if (goes_on("n")) consider(TreebankKind::kPlain, std::max(begin + 1, apostrophe(begin + 1)));
    if (digits(begin) != begin + 2) return;
    if (at(begin) >= '2' && at(begin + 1) == '0' && at(begin + 2) == 's') consider(TreebankKind::kPlain, begin + 3);
    if (ends_or_space(begin + 2)) consider(TreebankKind::kPlain, begin + 2, begin + 3);
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
    const std::string_view word = rest().substr(begin, end - begin);
    if ((word == "Mr" || word == "Ms") && at(end) == '.' && ends_or_space(end + 1)) return end + 2;
    return starts_treebank_sentence(word) && ends_or_space(end) ? end + 1 : 0;
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
    const bool doctor = rest().starts_with("Ph.D.") || rest().starts_with("Ed.D.");
    const std::size_t end = doctor ? 4 : run(0, is_alpha);
    if (end < 2 || at(end) != '.') return;
    switch (doctor ? TreebankPeriod::kKeptTwice : treebank_period(rest().substr(0, end))) {
      case TreebankPeriod::kKept:
        consider(TreebankKind::kPlain, end + 1);
        break;
      case TreebankPeriod::kKeptTwice:
        if (capital_follows(end + 1) || skip_space(end + 1) >= rest().size()) {
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
    if (begin == i || begin >= rest().size()) return false;
    const char32_t point = decode_point(rest().substr(begin)).value;
    return is_letter(point) && to_lower(point) != point;
  }

  void numbers() {
    const std::size_t sign = is_one_of(at(0), "+-") ? 1 : 0;
    std::size_t end = digits(sign);
    while (is_one_of(at(end), ".:,") && is_number(at(end + 1))) end = digits(end + 1);
    if (end > sign) consider(TreebankKind::kPlain, end, clitic(end));
    consider(TreebankKind::kPlain, match_date(*this));
    consider(TreebankKind::kPlain, match_fraction(*this));
    consider(TreebankKind::kPlain, match_telephone(*this));
  }

  void addresses() {
    consider(TreebankKind::kTag, match_tag(*this));
    consider(TreebankKind::kPlain, match_url(*this));
    consider(TreebankKind::kPlain, match_email(*this));
    if (at(0) == '@' && (is_alpha(at(1)) || at(1) == '_')) {
      consider(TreebankKind::kPlain, run(1, [](char c) { return is_alpha(c) || is_number(c) || c == '_'; }));
    }
    if (at(0) == '#' && letter(1) > 0) consider(TreebankKind::kPlain, letters(1));
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
    for (const std::string_view sign : {"£", "€", "¢", "¤"}) {
      if (rest().starts_with(sign)) consider(TreebankKind::kCurrency, sign.size());
    }
    for (const std::string_view sign : {"¼", "½", "¾", "⅓", "⅔"}) {
      if (rest().starts_with(sign)) consider(TreebankKind::kFraction, sign.size());
    }
    for (const std::string_view entity : {"&amp;", "&lt;", "&gt;", "&mdash;", "&ndash;", "&#151;"}) {
      if (rest().starts_with(entity)) consider(TreebankKind::kEntity, entity.size());
    }
  }

  void quotes() {
    for (const std::string_view quote : {"\"", "&quot;"}) {
      if (!rest().starts_with(quote)) continue;
      const char next = at(quote.size());
      const bool opens = is_alpha(next) || is_number(next) || next == '$';
      consider(opens ? TreebankKind::kOpenQuote : TreebankKind::kCloseQuote, quote.size());
    }
    for (const std::string_view quote : {"``", "“", "«"}) {
      if (rest().starts_with(quote)) consider(TreebankKind::kOpenQuote, quote.size());
    }
    for (const std::string_view quote : {"''", "”", "»"}) {
      if (rest().starts_with(quote)) consider(TreebankKind::kCloseQuote, quote.size());
    }
    for (const std::string_view quote : {"`", "‘", "‹", "‛"}) {
      if (rest().starts_with(quote)) consider(TreebankKind::kOpenSingleQuote, quote.size());
    }
    if (rest().starts_with("›")) consider(TreebankKind::kCloseSingleQuote, std::string_view("›").size());
    std::size_t curly = 0;  // several, of any kind, make one token
    while (rest().substr(curly).starts_with("\u201C") || rest().substr(curly).starts_with("\u201D") ||
           rest().substr(curly).starts_with("\u2018") || rest().substr(curly).starts_with("\u2019")) {
      curly += 3;
    }
    if (curly > 3) consider(TreebankKind::kQuotes, curly);
    const std::size_t end = apostrophe(0);
    if (end == 0) return;
    const bool opens = at(0) == '\'' && is_alpha(at(1)) && !ends_or_space(2);
    if (opens) consider(TreebankKind::kOpenSingleQuote, end, end + 2);
    consider(TreebankKind::kCloseSingleQuote, end);
    consider(TreebankKind::kClitic, clitic(0));
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
    if (rest().starts_with("…")) return std::string_view("…").size();
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
      if (rest().starts_with(dash)) consider(TreebankKind::kDash, dash.size());
    }
  }

  /// A character by itself, or what is left out.
  void other() {
    const DecodedPoint point = decode_point(rest());
    const bool odd = !point.valid || point.value >= 0x10000 || oddness_of(point.value) != nullptr ||
                     point.value == 0x2010 || point.value == 0x2011;
    best_ = {odd ? TreebankKind::kNone : TreebankKind::kPlain, point.length, point.length};
  }

  TreebankMatch best_;
  std::size_t reach_ = 0;
};

}  // namespace

TreebankMatch match_treebank(std::string_view rest) { return Lexer(rest).match(); }

}  // namespace gumption
