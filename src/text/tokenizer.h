#pragma once

// Tokenizers: text to ids and back, as the originals of BERT, GPT and GPT-2 do it. A loaded tokenizer never changes,
// and any number of threads may use one at a time.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gumption/text/added_tokens.h"
#include "gumption/text/vocabulary.h"

namespace gumption {

/// What to do about text that isn't well-formed UTF-8.
enum class InvalidUtf8 {
  kReplace,  // each maximal ill-formed part becomes U+FFFD
  kRefuse,   // UserError with the byte position
};

/// The stretch [begin, end) of a text.
struct TextRange {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool operator==(const TextRange&) const = default;
};

/// Ids with their places in the text that was given. Begins and ends never decrease; tokens that share a code point
/// (the bytes of one emoji, the parts of one Hangul syllable) all have its whole range.
struct Encoding {
  std::vector<TokenId> ids;
  std::vector<TextRange> bytes;
  std::vector<TextRange> points;  // an ill-formed part that was replaced counts as one point
};

struct DecodeOptions {
  bool skip_special = false;  // leave special tokens out
};

class Tokenizer;

/// Working memory for one thread's encoding with one tokenizer, a bounded cache of words included.
class EncodeScratch {
 public:
  struct Parts;

  explicit EncodeScratch(const Tokenizer& tokenizer);
  EncodeScratch(EncodeScratch&&) noexcept;
  EncodeScratch& operator=(EncodeScratch&&) noexcept;
  ~EncodeScratch();

 private:
  friend class Tokenizer;

  std::uint64_t owner_;  // serial number of the tokenizer: words cached for another would give wrong ids
  std::unique_ptr<Parts> parts_;
};

class Tokenizer {
 public:
  virtual ~Tokenizer();
  Tokenizer(const Tokenizer&) = delete;
  Tokenizer& operator=(const Tokenizer&) = delete;

  /// The ids of a text, without special tokens around it.
  std::vector<TokenId> encode(std::string_view text, InvalidUtf8 invalid = InvalidUtf8::kReplace) const;

  /// The same, appended to `ids`; fastest for many texts. `scratch` must be of this tokenizer.
  void encode(std::string_view text, EncodeScratch& scratch, std::vector<TokenId>& ids,
              InvalidUtf8 invalid = InvalidUtf8::kReplace) const;

  /// Ids with offsets. The plain way, word by word and without a cache: what encode() is tested against.
  Encoding encode_with_offsets(std::string_view text, InvalidUtf8 invalid = InvalidUtf8::kReplace) const;

  /// Back to text. UserError for an id that isn't in the vocabulary.
  std::string decode(std::span<const TokenId> ids, DecodeOptions options = {}) const;

  const Vocabulary& vocabulary() const { return vocabulary_; }
  const std::vector<AddedToken>& added_tokens() const { return added_; }

  /// "wordpiece", "byte-level bpe" or "gpt-1 bpe".
  virtual std::string_view kind() const = 0;

 protected:
  /// A token and its bytes in the text.
  struct Placed {
    TokenId id = 0;
    TextRange bytes;
  };

  Tokenizer(Vocabulary vocabulary, std::vector<AddedToken> added);

  /// How an added token that is looked for in normalised text is written there.
  virtual std::string normalised(std::string_view content) const = 0;

  /// Appends the ids of a text without added tokens; it is valid UTF-8 and not empty.
  virtual void encode_segment(std::string_view text, EncodeScratch::Parts& scratch,
                              std::vector<TokenId>& ids) const = 0;

  /// The same in the plain way; places count from the start of `text`.
  virtual void place_segment(std::string_view text, std::vector<Placed>& tokens) const = 0;

  /// Joins tokens that are in the vocabulary.
  virtual std::string join(std::span<const TokenId> ids) const = 0;

  /// Finder of the added tokens that are looked for in normalised text; call set_up_added_tokens() first.
  const AddedTokenFinder& normalised_finder() const { return normalised_finder_; }

  /// For the end of a constructor: normalised() is virtual.
  void set_up_added_tokens();

 private:
  std::string_view checked(std::string_view text, InvalidUtf8 invalid, std::string& replaced) const;
  std::unique_ptr<EncodeScratch> borrow_scratch() const;
  void return_scratch(std::unique_ptr<EncodeScratch> scratch) const;

  friend class EncodeScratch;

  Vocabulary vocabulary_;
  std::vector<AddedToken> added_;
  AddedTokenFinder raw_finder_;
  AddedTokenFinder normalised_finder_;
  std::uint64_t serial_;
  mutable std::mutex idle_mutex_;
  mutable std::vector<std::unique_ptr<EncodeScratch>> idle_;  // for encode() without a scratch
};

}  // namespace gumption
