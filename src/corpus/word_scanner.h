#pragma once

// Words of a text, as for_each_word() gives them, at several hundred MB/s: plain ASCII words are found and lower-cased
// without a look at code points, and only what isn't plain takes the slow way.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "gumption/corpus/text_options.h"
#include "gumption/text/unicode.h"

namespace gumption {

static_assert(std::endian::native == std::endian::little, "heads of words are compared as numbers");

/// A lower-cased word. Valid during the call that hands it over.
struct ScannedWord {
  static constexpr std::size_t kHead = 8;

  std::uint64_t head = 0;         // its first eight bytes, zeros behind its end
  std::uint32_t length = 0;       // in bytes, never 0
  const char* letters = nullptr;  // all of it, where it is longer than the head

  std::string_view text() const { return {length > kHead ? letters : reinterpret_cast<const char*>(&head), length}; }

  /// `text` must outlive the result and not be empty.
  static ScannedWord of(std::string_view text) {
    ScannedWord word;
    std::memcpy(&word.head, text.data(), text.size() < kHead ? text.size() : kHead);
    word.length = static_cast<std::uint32_t>(text.size());
    word.letters = text.data();
    return word;
  }
};

/// What a byte means to the scanner.
enum ScannedByte : std::uint8_t { kSeparatorByte, kWordByte, kApostropheByte, kLineEndByte, kHighByte };

constexpr std::array<std::uint8_t, 256> make_scanned_bytes() {
  std::array<std::uint8_t, 256> classes{};
  for (unsigned byte = 0; byte < classes.size(); ++byte) {
    const bool letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
    if (letter || (byte >= '0' && byte <= '9')) classes[byte] = kWordByte;
    if (byte >= 0x80) classes[byte] = kHighByte;
  }
  classes['\''] = kApostropheByte;
  classes['\n'] = kLineEndByte;
  return classes;
}
inline constexpr std::array<std::uint8_t, 256> kScannedBytes = make_scanned_bytes();

/// Calls sink.word(const ScannedWord&) for each word and sink.document_end() at each end of a document inside the text.
/// One scanner a thread.
class WordScanner {
 public:
  explicit WordScanner(DocumentEnd documents) : documents_(documents) {}

  /// Scans `range`, which must lie in `text`, begin and end between words, and be followed by 16 readable bytes; what
  /// follows in `text` tells whether a line end at the end of the range is the end of a document.
  template <class Sink>
  void scan(std::string_view range, std::string_view text, Sink& sink);

 private:
  static std::uint8_t class_of(char byte) { return kScannedBytes[static_cast<unsigned char>(byte)]; }

  /// Whether U+2000 to U+203F stands there: dashes, quotes and spaces, none of them part of a word.
  static bool is_punctuation(const char* at) {
    return at[0] == '\xE2' && at[1] == '\x80' && (static_cast<unsigned char>(at[2]) & 0xC0) == 0x80;
  }
  static bool is_right_quote(const char* at) { return at[2] == '\x99'; }

  /// Whether the ASCII letters that end at `at` may be only the beginning of a word.
  static bool goes_on(const char* at) {
    const std::uint8_t here = class_of(*at);
    if (here == kApostropheByte) return class_of(at[1]) == kWordByte || class_of(at[1]) == kHighByte;
    return here == kHighByte && (!is_punctuation(at) || is_right_quote(at));
  }

  /// The word that begins at `begin`, with anything in it, into long_word_; gives its end.
  const char* take_slowly(const char* begin, const char* end);

  /// Whether the line that begins at `at` ends the document before it.
  bool ends_document(const char* at, const char* end) const;

  ScannedWord plain_word(const char* begin, std::size_t length);

  DocumentEnd documents_;
  std::string long_word_;
};

inline ScannedWord WordScanner::plain_word(const char* begin, std::size_t length) {
  // Setting this bit lower-cases ASCII letters and leaves digits as they are.
  constexpr std::uint64_t kLower = 0x2020202020202020ULL;
  ScannedWord word;
  std::memcpy(&word.head, begin, ScannedWord::kHead);
  word.head |= kLower;
  word.length = static_cast<std::uint32_t>(length);
  if (length < ScannedWord::kHead) {
    word.head &= (std::uint64_t{1} << (8 * length)) - 1;
  } else if (length > ScannedWord::kHead) {
    long_word_.resize(length);
    for (std::size_t i = 0; i < length; ++i) long_word_[i] = static_cast<char>(begin[i] | 0x20);
    word.letters = long_word_.data();
  }
  return word;
}

template <class Sink>
void WordScanner::scan(std::string_view range, std::string_view text, Sink& sink) {
  const char* at = range.data();
  const char* const end = at + range.size();
  const char* const text_end = text.data() + text.size();
  while (at < end) {
    const std::uint8_t here = class_of(*at);
    if (here == kWordByte) {
      const char* const begin = at;
      do ++at;
      while (class_of(*at) == kWordByte);
      if (!goes_on(at)) {
        sink.word(plain_word(begin, static_cast<std::size_t>(at - begin)));
        continue;
      }
      at = take_slowly(begin, end);
      sink.word(ScannedWord::of(long_word_));
    } else if (here == kHighByte) {
      if (is_punctuation(at)) {
        at += 3;
        continue;
      }
      const DecodedPoint point = decode_point({at, static_cast<std::size_t>(end - at)});
      if (!is_letter(point.value) && !is_digit(point.value)) {
        at += point.length;
        continue;
      }
      at = take_slowly(at, end);
      sink.word(ScannedWord::of(long_word_));
    } else {
      ++at;
      if (here == kLineEndByte && ends_document(at, text_end)) sink.document_end();
    }
  }
}

}  // namespace gumption
