#include "gumption/text/sentences.h"

#include <array>
#include <cstdint>
#include <limits>

#include "gumption/base/build_info.h"
#include "gumption/base/error.h"
#include "gumption/text/sentence_words.h"
#include "gumption/text/unicode.h"

#if GUMPTION_WITH_SENTENCES
#include <unicode/ubrk.h>
#include <unicode/uchar.h>
#include <unicode/utext.h>
#endif

namespace gumption {

#if GUMPTION_WITH_SENTENCES

namespace {

/// Unicode's sentence classes (UAX 29), as far as they matter here.
enum class Class : std::uint8_t {
  kOther,
  kEnd,       // ! ? and the full stops of other scripts
  kPeriod,    // . and its kin
  kEllipsis,  // …
  kClose,     // quotes and brackets of both directions; the asterisks and underscores that stand for italics
  kSpace,
  kLineEnd,
  kLower,
  kUpper,
  kLetter,
  kDigit,
  kContinue,  // , ; : and dashes
};

constexpr char32_t kHorizontalEllipsis = 0x2026;

constexpr std::array<Class, 128> make_ascii_classes() {
  std::array<Class, 128> classes{};
  for (std::size_t c = 'a'; c <= 'z'; ++c) classes[c] = Class::kLower;
  for (std::size_t c = 'A'; c <= 'Z'; ++c) classes[c] = Class::kUpper;
  for (std::size_t c = '0'; c <= '9'; ++c) classes[c] = Class::kDigit;
  for (const char c : {'"', '\'', '(', ')', '[', ']', '{', '}', '_', '*'})
    classes[static_cast<unsigned char>(c)] = Class::kClose;
  for (const char c : {' ', '\t', '\v', '\f'}) classes[static_cast<unsigned char>(c)] = Class::kSpace;
  for (const char c : {'\n', '\r'}) classes[static_cast<unsigned char>(c)] = Class::kLineEnd;
  for (const char c : {',', ';', ':', '-'}) classes[static_cast<unsigned char>(c)] = Class::kContinue;
  for (const char c : {'!', '?'}) classes[static_cast<unsigned char>(c)] = Class::kEnd;
  classes['.'] = Class::kPeriod;
  return classes;
}

constexpr std::array<Class, 128> kAsciiClasses = make_ascii_classes();

Class class_of(char32_t point) {
  if (point < 0x80) return kAsciiClasses[point];
  if (point == kHorizontalEllipsis) return Class::kEllipsis;
  switch (u_getIntPropertyValue(static_cast<UChar32>(point), UCHAR_SENTENCE_BREAK)) {
    case U_SB_STERM:
      return Class::kEnd;
    case U_SB_ATERM:
      return Class::kPeriod;
    case U_SB_CLOSE:
    case U_SB_EXTEND:
    case U_SB_FORMAT:
      return Class::kClose;
    case U_SB_SP:
      return Class::kSpace;
    case U_SB_SEP:
      return Class::kLineEnd;
    case U_SB_LOWER:
      return Class::kLower;
    case U_SB_UPPER:
      return Class::kUpper;
    case U_SB_OLETTER:
      return Class::kLetter;
    case U_SB_NUMERIC:
      return Class::kDigit;
    case U_SB_SCONTINUE:
      return Class::kContinue;
    default:
      return Class::kOther;
  }
}

/// The bytes at which a sentence may end: nothing between U+0086 and U+0557 does, so most Latin text runs through.
constexpr std::array<bool, 256> make_stops() {
  std::array<bool, 256> stops{};
  for (const char c : {'.', '!', '?', '\n', '\r'}) stops[static_cast<unsigned char>(c)] = true;
  stops[0xC2] = true;  // U+0085, a line end
  for (std::size_t lead = 0xD5; lead <= 0xF4; ++lead) stops[lead] = true;
  return stops;
}

constexpr std::array<bool, 256> kStops = make_stops();

struct Point {
  Class kind = Class::kLineEnd;  // what the end of the text counts as
  char32_t value = 0;
  std::size_t length = 0;
};

/// The marks that may end a sentence and what closes behind them.
struct Marks {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool one_period = false;  // a period alone, with nothing closing behind it
  bool exclaims = false;    // has a ! or ? or an ellipsis
  bool quoted = false;      // a quote closes behind them
  bool foreign = false;     // of a script that needs no space between sentences
};

/// What stands behind white space and opening quotes.
struct Next {
  std::size_t begin = 0;  // of the first word
  Class kind = Class::kOther;
  bool opens_quote = false;
  bool dash = false;
};

bool is_quote(char32_t point) {
  return point == '"' || point == '\'' || point == 0x201D || point == 0x2019 || point == 0x201C || point == 0x2018;
}

/// Decides about one text. Positions are bytes of it.
class Judge {
 public:
  Judge(std::string_view text, SentenceOptions options) : text_(text), options_(options) {}

  std::size_t skip_space(std::size_t at) const {
    for (Point point = point_at(at); point.length > 0; point = point_at(at)) {
      if (point.kind != Class::kSpace && point.kind != Class::kLineEnd) break;
      at += point.length;
    }
    return at;
  }

  /// End of the sentence that begins at `begin`.
  std::size_t find_end(std::size_t begin) const {
    std::size_t at = begin;
    while (true) {
      while (at < text_.size() && !kStops[static_cast<unsigned char>(text_[at])]) ++at;
      const Point point = point_at(at);
      if (point.kind == Class::kLineEnd) {
        if (ends_paragraph(at)) return at;
      } else if (is_mark(point.kind)) {
        const Marks marks = read_marks(at);
        if (ends_sentence(begin, marks)) return marks.end;
        at = marks.end;
        continue;
      }
      at += point.length;
    }
  }

 private:
  static bool is_mark(Class kind) { return kind == Class::kEnd || kind == Class::kPeriod || kind == Class::kEllipsis; }

  Point point_at(std::size_t at) const {
    if (at >= text_.size()) return {};
    const auto byte = static_cast<unsigned char>(text_[at]);
    if (byte < 0x80) return {kAsciiClasses[byte], byte, 1};
    const DecodedPoint point = decode_point(text_.substr(at));
    return {class_of(point.value), point.value, point.length};
  }

  /// Whether the line end at `at` (or the text's end) is more than a space.
  bool ends_paragraph(std::size_t at) const {
    if (!options_.wrapped_lines || at >= text_.size()) return true;
    at += text_.substr(at).starts_with("\r\n") ? 2 : point_at(at).length;
    while (point_at(at).kind == Class::kSpace) at += point_at(at).length;
    return point_at(at).kind == Class::kLineEnd;
  }

  /// Position behind white space within the paragraph; where the paragraph ends, that line end (or the text's end).
  std::size_t skip_gap(std::size_t at) const {
    while (true) {
      const Point point = point_at(at);
      const bool space = point.kind == Class::kSpace || (point.kind == Class::kLineEnd && !ends_paragraph(at));
      if (!space) return at;
      at += point.length;
    }
  }

  Marks read_marks(std::size_t begin) const {
    Marks marks{.begin = begin, .end = begin};
    std::size_t periods = 0;
    bool closed = false;
    for (std::size_t at = begin;;) {
      const Point point = point_at(at);
      if (is_mark(point.kind)) {
        periods += point.kind == Class::kPeriod ? 1 : 0;
        marks.exclaims = marks.exclaims || point.kind != Class::kPeriod;
        marks.foreign = marks.foreign || (point.kind == Class::kEnd && point.value >= 0x80);
      } else if (point.kind == Class::kClose) {
        closed = true;
        marks.quoted = marks.quoted || is_quote(point.value);
      } else if (point.value == ' ' && periods > 0 && !closed && point_at(at + 1).value == '.') {
        // ". . .", an ellipsis with spaces
      } else {
        break;
      }
      at += point.length;
      marks.end = at;
    }
    marks.exclaims = marks.exclaims || periods > 1;
    marks.one_period = periods == 1 && !marks.exclaims && !closed;
    return marks;
  }

  Next read_next(std::size_t at) const {
    Next next;
    for (Point point = point_at(at);; point = point_at(at)) {
      next.begin = at;
      next.kind = point.kind;
      if (point.kind == Class::kClose) {
        next.opens_quote = next.opens_quote || point.value == '"' || point.value == 0x201C;
      } else if (point.value == '-' || point.value == 0x2013 || point.value == 0x2014) {
        next.dash = true;
      } else if (!(next.dash && point.kind == Class::kSpace)) {
        return next;
      }
      at += point.length;
    }
  }

  /// Letters and inner periods directly before `at`, but nothing before `begin`.
  std::string_view word_before(std::size_t begin, std::size_t at) const {
    std::size_t start = at;
    while (start > begin) {
      const auto byte = static_cast<unsigned char>(text_[start - 1]);
      const bool inside = byte >= 0x80 || byte == '.' || kAsciiClasses[byte] == Class::kLower ||
                          kAsciiClasses[byte] == Class::kUpper || kAsciiClasses[byte] == Class::kDigit;
      if (!inside) break;
      --start;
    }
    std::string_view word = text_.substr(start, at - start);
    // Opening quotes and dashes are no part of it.
    for (const std::string_view mark : {"“", "‘", "—", "–"}) {
      const std::size_t found = word.rfind(mark);
      if (found != std::string_view::npos) word.remove_prefix(found + mark.size());
    }
    return word;
  }

  std::string_view word_at(std::size_t at) const {
    std::size_t end = at;
    for (Point point = point_at(end); point.kind == Class::kLower || point.kind == Class::kUpper;
         point = point_at(end)) {
      end += point.length;
    }
    return text_.substr(at, end - at);
  }

  bool ends_sentence(std::size_t begin, const Marks& marks) const {
    const std::size_t after = skip_gap(marks.end);
    if (point_at(after).kind == Class::kLineEnd) return true;
    const Next next = read_next(after);
    if (after == marks.end) return ends_without_gap(marks, next);
    if (next.kind == Class::kLineEnd) return false;  // a closing quote with a space before it
    if (next.kind == Class::kContinue) return false;
    if (next.kind == Class::kLower) return next.opens_quote && !marks.exclaims;
    if (marks.one_period) return !is_abbreviation(begin, marks, next);
    if (marks.quoted && marks.exclaims && !next.opens_quote && names_speaker(next.begin)) return false;
    return true;
  }

  static bool ends_without_gap(const Marks& marks, const Next& next) {
    if (next.dash || next.kind == Class::kContinue) return false;
    if (marks.foreign) return true;
    return marks.exclaims && !marks.quoted && next.kind == Class::kUpper;
  }

  /// Whether the period belongs to the word before it and the sentence goes on.
  bool is_abbreviation(std::size_t begin, const Marks& marks, const Next& next) const {
    const std::string_view word = word_before(begin, marks.begin);
    const std::string_view follower = word_at(next.begin);
    const std::size_t behind = next.begin + follower.size();
    const bool initial_follows = follower.size() == 1 && point_at(behind).value == '.';
    const bool starts = begins_sentences(follower) && !initial_follows;
    const bool number_follows = next.kind == Class::kDigit;
    switch (period_kind(word)) {
      case PeriodKind::kTitle:
      case PeriodKind::kLatin:
        return true;
      case PeriodKind::kNumbered:
        return number_follows || is_roman_number(follower);
      case PeriodKind::kMonth:
        return number_follows;
      case PeriodKind::kInitial:
        if (word == "I" && !initial_follows) return false;  // the pronoun, rather than Ivan
        return !starts && !next.opens_quote;
      case PeriodKind::kPossibleEnd:
        return !starts && !next.opens_quote;
      case PeriodKind::kPlain:
        break;
    }
    // "12." at the beginning numbers what follows.
    return word.size() <= 3 && word.data() == text_.data() + begin &&
           word.find_first_not_of("0123456789") == std::string_view::npos;
  }

  /// Whether a clause like "Mr. Holmes asked" or "I cried" begins at `at`.
  bool names_speaker(std::size_t at) const {
    constexpr int kLongestName = 4;
    std::string_view word = word_at(at);
    if (word != "I" && begins_sentences(word)) return false;
    for (int i = 0; i < kLongestName && !word.empty(); ++i) {
      if (is_speech_verb(word)) {
        // "I said: …" and "Alice said that …" tell something new.
        const std::string_view behind = text_.substr(at + word.size());
        return i > 0 && !behind.starts_with(':') && !behind.starts_with(" that ");
      }
      at += word.size();
      if (text_.substr(at).starts_with('.') && period_kind(word) == PeriodKind::kTitle) ++at;
      if (point_at(at).value != ' ') return false;
      word = word_at(at + 1);
      ++at;
    }
    return false;
  }

  std::string_view text_;
  SentenceOptions options_;
};

}  // namespace

SentenceSplitter::SentenceSplitter(std::string_view text, SentenceOptions options) : text_(text), options_(options) {}

bool SentenceSplitter::next(Sentence& sentence) {
  const Judge judge(text_, options_);
  const std::size_t begin = judge.skip_space(at_);
  if (begin >= text_.size()) return false;
  at_ = judge.find_end(begin);
  sentence = {trim(text_.substr(begin, at_ - begin)), begin};
  return true;
}

std::vector<Sentence> icu_sentences_of(std::string_view text) {
  ensure(text.size() < std::size_t{std::numeric_limits<std::int32_t>::max()}, "the text is smaller than 2 GiB");
  UErrorCode status = U_ZERO_ERROR;
  UText* view = utext_openUTF8(nullptr, text.data(), static_cast<std::int64_t>(text.size()), &status);
  UBreakIterator* breaks = ubrk_open(UBRK_SENTENCE, "en", nullptr, 0, &status);
  if (U_SUCCESS(status)) ubrk_setUText(breaks, view, &status);
  std::vector<Sentence> sentences;
  if (U_SUCCESS(status)) {
    std::size_t begin = 0;
    for (std::int32_t at = ubrk_next(breaks); at != UBRK_DONE; at = ubrk_next(breaks)) {
      const auto end = static_cast<std::size_t>(at);
      const std::string_view piece = trim(text.substr(begin, end - begin));
      if (!piece.empty()) sentences.push_back({piece, static_cast<std::size_t>(piece.data() - text.data())});
      begin = end;
    }
  }
  ubrk_close(breaks);
  utext_close(view);
  if (U_FAILURE(status)) throw UserError(std::string("ICU can't split sentences: ") + u_errorName(status) + ".");
  return sentences;
}

#else

SentenceSplitter::SentenceSplitter(std::string_view text, SentenceOptions options) : text_(text), options_(options) {
  require_feature("sentences");
}

bool SentenceSplitter::next(Sentence&) { return false; }

std::vector<Sentence> icu_sentences_of(std::string_view) {
  require_feature("sentences");
  return {};
}

#endif

std::vector<Sentence> sentences_of(std::string_view text, SentenceOptions options) {
  std::vector<Sentence> sentences;
  SentenceSplitter splitter(text, options);
  for (Sentence sentence; splitter.next(sentence);) sentences.push_back(sentence);
  return sentences;
}

}  // namespace gumption
