#pragma once

// BERT's way from text to words: cleaning, lower-casing, accents, ideographs and punctuation. GPT-1's tokenizer of
// Hugging Face uses the same.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gumption/text/character_classes.h"
#include "gumption/text/unicode.h"

namespace gumption {

struct BertTextOptions {
  bool clean_text = true;        // drop control characters, make all white space spaces
  bool split_ideographs = true;  // each Chinese character is a word
  bool strip_accents = true;     // decompose canonically and drop nonspacing marks
  bool lower_case = true;
};

/// A code point of normalised text and the bytes of the original that it came from.
struct AlignedPoint {
  char32_t value = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// A word as places in a vector of points.
struct PointSpan {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Immutable, so thread-safe.
class BertText {
 public:
  /// Bytes behind each word handed out by for_each_word() that may be read.
  static constexpr std::size_t kPadding = 32;

  struct Scratch {
    std::vector<char> word;
    std::vector<AlignedPoint> points;
    std::vector<AlignedPoint> spare;
  };

  explicit BertText(BertTextOptions options);

  const BertTextOptions& options() const { return options_; }

  /// Normalised text, in scratch.points. `text` must be valid UTF-8, here and below.
  void normalise(std::string_view text, Scratch& scratch) const;

  /// The words of normalised text: cut at white space, punctuation by itself.
  static std::vector<PointSpan> split(const std::vector<AlignedPoint>& points);

  /// Calls take(const char* data, std::size_t size) for each normalised word, in order: the same words that normalise()
  /// and split() give, several times faster. kPadding bytes behind each may be read.
  template <class Take>
  void for_each_word(std::string_view text, Scratch& scratch, Take&& take) const;

 private:
  // What to do with a byte: below 256 the byte to append to the word, else one of these.
  static constexpr std::uint16_t kForeign = 1 << 8;  // not ASCII
  static constexpr std::uint16_t kBreak = 2 << 8;    // white space
  static constexpr std::uint16_t kAlone = 3 << 8;    // punctuation; the byte is in the low half
  static constexpr std::uint16_t kDrop = 4 << 8;     // removed

  void clean(Scratch& scratch) const;
  static void set_ideographs_apart(Scratch& scratch);
  static void strip_accents(Scratch& scratch);
  static void lower(Scratch& scratch);

  /// Length of the run at the start of `text` that canonical ordering could reach over.
  std::size_t foreign_run(std::string_view text) const;

  BertTextOptions options_;
  const CharacterTable& table_;
  CharacterClasses changing_ = 0;  // a point with one of these is not simply itself
  std::array<std::uint16_t, 256> actions_{};
};

template <class Take>
void BertText::for_each_word(std::string_view text, Scratch& scratch, Take&& take) const {
  std::size_t size = 0;
  const auto reserve = [&](std::size_t more) {
    if (scratch.word.size() < size + more + kPadding) scratch.word.resize((size + more + kPadding) * 2);
  };
  reserve(text.size());
  char* word = scratch.word.data();
  const auto end_word = [&] {
    if (size > 0) take(static_cast<const char*>(word), size);
    size = 0;
  };
  const auto append = [&](char32_t point, std::size_t left) {
    std::string bytes;
    append_point(bytes, point);
    reserve(bytes.size() + left);
    word = scratch.word.data();
    for (const char byte : bytes) word[size++] = byte;
  };
  const auto feed = [&](char32_t point, std::size_t left) {
    const CharacterClasses classes = table_[point];
    if (classes & kSpaceClass) return end_word();
    const bool alone = (classes & kPunctuationClass) != 0;
    if (alone) end_word();
    append(point, left);
    if (alone) end_word();
  };

  std::size_t at = 0;
  while (at < text.size()) {
    const std::uint16_t action = actions_[static_cast<unsigned char>(text[at])];
    if (action < kForeign) {
      word[size++] = static_cast<char>(action);
      ++at;
      continue;
    }
    if (action != kForeign) {
      ++at;
      if (action == kDrop) continue;
      end_word();
      if (action == kBreak) continue;
      word[size++] = static_cast<char>(action & 0xFF);
      end_word();
      continue;
    }
    const DecodedPoint point = decode_point(text.substr(at));
    if ((table_[point.value] & changing_) == 0) {
      at += point.length;
      feed(point.value, text.size() - at);
      continue;
    }
    const std::size_t run = foreign_run(text.substr(at));
    normalise(text.substr(at, run), scratch);
    at += run;
    for (const AlignedPoint& normal : scratch.points) feed(normal.value, text.size() - at);
  }
  end_word();
}

}  // namespace gumption
