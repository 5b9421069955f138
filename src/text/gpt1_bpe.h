#pragma once

// GPT-1's tokenizer: byte-pair encoding over characters, lower-cased, the last token of a word marked </w> (Radford et
// al. 2018).

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gumption/text/bert_tokenizer.h"

namespace gumption {

/// How text becomes words.
enum class Gpt1Words {
  kBert,      // BERT's words, as Hugging Face's tokenizer has it
  kOriginal,  // near the original code, which used ftfy and spaCy: see gpt1_original.h
};

struct Gpt1BpeOptions {
  Gpt1Words words = Gpt1Words::kBert;
  BertTextOptions text;              // for kBert
  std::string unknown = "<unk>";     // for characters that the vocabulary lacks; empty: they are dropped
  std::string end_of_word = "</w>";  // follows the last character of a word; not empty
  bool fuse_unknown = false;         // several unknown characters in a row give one token
};

class Gpt1BpeTokenizer final : public BertWordTokenizer {
 public:
  /// UserError, naming `file`, when the unknown token is not in the vocabulary.
  Gpt1BpeTokenizer(Vocabulary vocabulary, std::vector<AddedToken> added, BpeMerges merges, Gpt1BpeOptions options,
                   const std::string& file);

  std::string_view kind() const override { return "gpt-1 bpe"; }
  const Gpt1BpeOptions& options() const { return options_; }

 protected:
  void encode_segment(std::string_view text, EncodeScratch::Parts& scratch, std::vector<TokenId>& ids) const override;
  void place_segment(std::string_view text, std::vector<Placed>& tokens) const override;
  std::vector<BpeSymbol> pieces_of(std::string_view word) const override;
  std::string join(std::span<const TokenId> ids) const override;

 private:
  void symbols_of(std::string_view word, std::vector<BpeSymbol>& symbols) const;
  void append_word(std::string_view word, EncodeScratch::Parts& scratch, std::vector<TokenId>& ids) const;

  Gpt1BpeOptions options_;
  BpeMerges merges_;
  TokenId unknown_ = -1;
};

}  // namespace gumption
