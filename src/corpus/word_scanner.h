#pragma once

// Words of a text, as for_each_word() gives them, at several hundred MB/s: plain ASCII words are found and lower-cased
// without a look at code points, and only what isn't plain takes the slow way.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

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

  /// The word that begins at `begin` with an ASCII letter or digit, to the sink; gives its end.
  template <class Sink>
  const char* take_word(const char* begin, const char* end, Sink& sink);

  /// What begins at `at` with a byte beyond ASCII: a word, to the sink, or something between words; gives its end.
  template <class Sink>
  const char* take_high(const char* at, const char* end, Sink& sink);

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
  word.head &= length < ScannedWord::kHead ? (std::uint64_t{1} << (8 * length)) - 1 : ~std::uint64_t{0};
  if (length > ScannedWord::kHead) {
    long_word_.resize(length);
    for (std::size_t i = 0; i < length; ++i) long_word_[i] = static_cast<char>(begin[i] | 0x20);
    word.letters = long_word_.data();
  }
  return word;
}

/// What stands in 64 bytes of text, a bit for each.
struct ScannedChunk {
  static constexpr std::size_t kBytes = 64;

  std::uint64_t words = 0;  // ASCII letters and digits
  std::uint64_t joins = 0;  // what may go on a word or begin one the slow way: apostrophes and bytes beyond ASCII
  std::uint64_t high = 0;   // bytes beyond ASCII
  std::uint64_t lines = 0;  // line ends

  /// `size` bytes from `at` on; up to 15 more are read.
  static ScannedChunk of(const char* at, std::size_t size);
};

#if defined(__SSE2__)
inline ScannedChunk ScannedChunk::of(const char* at, std::size_t size) {
  ScannedChunk chunk;
  const auto is_between = [](__m128i bytes, char first, char last) {
    const __m128i from_first = _mm_sub_epi8(bytes, _mm_set1_epi8(first));
    return _mm_cmpeq_epi8(_mm_min_epu8(from_first, _mm_set1_epi8(static_cast<char>(last - first))), from_first);
  };
  const auto bits = [](__m128i bytes) { return static_cast<std::uint64_t>(_mm_movemask_epi8(bytes)); };
  for (unsigned i = 0; i < kBytes && i < size; i += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + i));
    const __m128i letters = is_between(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), 'a', 'z');
    chunk.words |= bits(_mm_or_si128(letters, is_between(bytes, '0', '9'))) << i;
    chunk.high |= bits(bytes) << i;
    chunk.joins |= bits(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\''))) << i;
    chunk.lines |= bits(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n'))) << i;
  }
  chunk.joins |= chunk.high;
  return chunk;
}
#else
inline ScannedChunk ScannedChunk::of(const char* at, std::size_t size) {
  ScannedChunk chunk;
  for (unsigned i = 0; i < kBytes && i < size; ++i) {
    const std::uint8_t kind = kScannedBytes[static_cast<unsigned char>(at[i])];
    chunk.words |= std::uint64_t{kind == kWordByte} << i;
    chunk.high |= std::uint64_t{kind == kHighByte} << i;
    chunk.joins |= std::uint64_t{kind == kHighByte || kind == kApostropheByte} << i;
    chunk.lines |= std::uint64_t{kind == kLineEndByte} << i;
  }
  return chunk;
}
#endif

template <class Sink>
void WordScanner::scan(std::string_view range, std::string_view text, Sink& sink) {
  const char* at = range.data();
  const char* const end = at + range.size();
  const char* const text_end = text.data() + text.size();
  const std::uint64_t wanted_lines = documents_ == DocumentEnd::kFile ? 0 : ~std::uint64_t{0};
  while (at < end) {
    const auto size = static_cast<std::size_t>(end - at);
    const ScannedChunk chunk = ScannedChunk::of(at, size);
    const char* const chunk_begin = at;
    // Where anything is to be done. Guessing word ends byte by byte costs more than all the rest.
    std::uint64_t open = chunk.words | chunk.high | (chunk.lines & wanted_lines);
    if (size < ScannedChunk::kBytes) open &= (std::uint64_t{1} << size) - 1;
    at += std::min(size, ScannedChunk::kBytes);
    while (open != 0) {
      const auto place = static_cast<unsigned>(std::countr_zero(open));
      const char* const here = chunk_begin + place;
      if ((chunk.words >> place & 1) != 0) {
        const auto length = static_cast<unsigned>(std::countr_one(chunk.words >> place));
        const unsigned behind = place + length;
        if (behind < ScannedChunk::kBytes && (chunk.joins >> behind & 1) == 0) {
          sink.word(plain_word(here, length));
          open &= ~std::uint64_t{0} << behind;
          continue;
        }
        at = take_word(here, end, sink);
      } else if ((chunk.high >> place & 1) != 0) {
        at = take_high(here, end, sink);
      } else {
        if (ends_document(here + 1, text_end)) sink.document_end();
        open &= open - 1;
        continue;
      }
      // Behind what was taken, which may end anywhere.
      const auto taken = static_cast<std::size_t>(at - chunk_begin);
      if (taken >= ScannedChunk::kBytes) break;
      open &= ~std::uint64_t{0} << taken;
      at = std::min(chunk_begin + ScannedChunk::kBytes, end);
    }
  }
}

template <class Sink>
const char* WordScanner::take_word(const char* begin, const char* end, Sink& sink) {
  const char* at = begin;
  while (class_of(*at) == kWordByte) ++at;
  if (!goes_on(at)) {
    sink.word(plain_word(begin, static_cast<std::size_t>(at - begin)));
    return at;
  }
  at = take_slowly(begin, end);
  sink.word(ScannedWord::of(long_word_));
  return at;
}

template <class Sink>
const char* WordScanner::take_high(const char* at, const char* end, Sink& sink) {
  if (is_punctuation(at)) return at + 3;
  const DecodedPoint point = decode_point({at, static_cast<std::size_t>(end - at)});
  if (!is_letter(point.value) && !is_digit(point.value)) return at + point.length;
  at = take_slowly(at, end);
  sink.word(ScannedWord::of(long_word_));
  return at;
}

}  // namespace gumption
