#pragma once

// GPT-2's tokenizer: byte-pair encoding over bytes, after cutting the text with one fixed pattern (Radford et al.
// 2019).

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gumption/text/bpe_merges.h"
#include "gumption/text/character_classes.h"
#include "gumption/text/tokenizer.h"

namespace gumption {

struct ByteBpeOptions {
  bool add_prefix_space = false;  // a text is taken as if it began with a space
  bool trim_offsets = false;      // a token's place leaves out its leading and trailing white space
  std::string unknown;            // for bytes that the vocabulary lacks; empty: they are dropped
  bool fuse_unknown = false;      // several unknown bytes in a row give one token
};

/// Length of GPT-2's first piece of a text that isn't empty:
/// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
std::size_t first_gpt2_piece(std::string_view text, const CharacterTable& table);

/// How a vocabulary writes each byte: printable ASCII and Latin-1 as themselves, the others from U+0100 on; in UTF-8.
const std::array<std::string, 256>& byte_spellings();

/// The bytes that such a token stands for; nothing where a character of it is no byte's spelling.
std::optional<std::string> bytes_of_spelling(std::string_view token);

class ByteBpeTokenizer final : public Tokenizer {
 public:
  /// `file` is for messages about the options.
  ByteBpeTokenizer(Vocabulary vocabulary, std::vector<AddedToken> added, BpeMerges merges, ByteBpeOptions options,
                   const std::string& file);

  std::string_view kind() const override { return "byte-level bpe"; }
  const ByteBpeOptions& options() const { return options_; }

  /// As decode(), but the exact bytes: ids that cut a character in two give bytes that aren't UTF-8.
  std::string decode_bytes(std::span<const TokenId> ids) const;

 protected:
  std::string normalised(std::string_view content) const override { return std::string(content); }
  void encode_segment(std::string_view text, EncodeScratch::Parts& scratch, std::vector<TokenId>& ids) const override;
  void place_segment(std::string_view text, std::vector<Placed>& tokens) const override;
  std::string join(std::span<const TokenId> ids) const override;

 private:
  void symbols_of(std::string_view word, std::vector<BpeSymbol>& symbols) const;
  void append_word(std::string_view word, EncodeScratch::Parts& scratch, std::vector<TokenId>& ids) const;
  TextRange place_of(std::string_view text, TextRange bytes) const;

  ByteBpeOptions options_;
  BpeMerges merges_;
  const CharacterTable& table_;
  std::array<TokenId, 256> byte_ids_{};  // −1 where the vocabulary lacks the byte
  TokenId unknown_ = -1;
};

}  // namespace gumption
