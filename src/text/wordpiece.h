#pragma once

// BERT's tokenizer: BERT's words, each cut greedily into the longest pieces of the vocabulary (Devlin et al. 2019, as
// Hugging Face's library does it).

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gumption/text/bert_tokenizer.h"

namespace gumption {

struct WordPieceOptions {
  BertTextOptions text;
  std::string unknown = "[UNK]";    // for words that can't be cut into pieces; must be in the vocabulary
  std::string continuation = "##";  // stands before pieces that don't begin a word
  std::size_t longest_word = 100;   // in code points; longer ones are unknown
  bool clean_up = true;             // decoding takes spaces away before . , ! ? and the like
};

/// Finds the longest piece at the start of a text, byte by byte in a trie.
class PieceTrie {
 public:
  struct Match {
    TokenId id = -1;  // −1: nothing
    std::size_t length = 0;
  };

  PieceTrie();

  void insert(std::string_view piece, TokenId id);

  /// The node that spelling `text` leads to; kNowhere where no piece begins with it.
  std::uint32_t descend(std::uint32_t node, std::string_view text) const;

  /// The longest piece whose spelling from `node` on begins `text`.
  Match longest(std::uint32_t node, std::string_view text) const;

  static constexpr std::uint32_t kRoot = 0;
  static constexpr std::uint32_t kNowhere = 0xFFFFFFFF;

 private:
  struct Slot {
    std::uint64_t key = 0;  // (node << 8 | byte) + 1; 0: free
    std::uint32_t child = 0;
  };

  std::uint32_t child_of(std::uint32_t node, unsigned char byte) const {
    const std::uint64_t key = ((std::uint64_t{node} << 8) | byte) + 1;
    for (std::size_t at = slot_of(key);; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at].key == key) return slots_[at].child;
      if (slots_[at].key == 0) return kNowhere;
    }
  }
  std::size_t slot_of(std::uint64_t key) const {
    const std::uint64_t mixed = key * 0x9E3779B97F4A7C15ULL;
    return static_cast<std::size_t>(mixed >> 32) & (slots_.size() - 1);
  }
  void add_child(std::uint64_t key, std::uint32_t child);

  std::vector<Slot> slots_;
  std::vector<TokenId> ids_;  // by node
};

class WordPieceTokenizer final : public BertWordTokenizer {
 public:
  /// UserError, naming `file`, when the unknown token is not in the vocabulary. Special tokens of BERT that the
  /// vocabulary has should be among `added`: see bert_special_tokens().
  WordPieceTokenizer(Vocabulary vocabulary, std::vector<AddedToken> added, WordPieceOptions options,
                     const std::string& file);

  std::string_view kind() const override { return "wordpiece"; }
  const WordPieceOptions& options() const { return options_; }

 protected:
  void encode_segment(std::string_view text, EncodeScratch::Parts& scratch, std::vector<TokenId>& ids) const override;
  std::vector<BpeSymbol> pieces_of(std::string_view word) const override;
  std::string join(std::span<const TokenId> ids) const override;

 private:
  void append_pieces(std::string_view word, std::vector<TokenId>& ids) const;

  WordPieceOptions options_;
  TokenId unknown_ = 0;
  PieceTrie trie_;
  std::size_t longest_piece_ = 0;
  std::uint32_t continuing_ = PieceTrie::kNowhere;  // where the pieces behind the continuation mark begin
};

/// [UNK] [SEP] [PAD] [CLS] [MASK], those that the vocabulary has, as added tokens.
std::vector<AddedToken> bert_special_tokens(const Vocabulary& vocabulary);

}  // namespace gumption
