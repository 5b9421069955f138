#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gumption/text/bert_text.h"
#include "gumption/text/bpe_merges.h"
#include "gumption/text/tokenizer.h"

namespace gumption {

/// What the tokenizers that cut text into BERT's words share.
class BertWordTokenizer : public Tokenizer {
 public:
  const BertTextOptions& text_options() const { return text_.options(); }

 protected:
  BertWordTokenizer(Vocabulary vocabulary, std::vector<AddedToken> added, BertTextOptions options);

  const BertText& text() const { return text_; }

  /// The tokens of one normalised word and how many of its bytes each one covers; the plain way.
  virtual std::vector<BpeSymbol> pieces_of(std::string_view word) const = 0;

  std::string normalised(std::string_view content) const override;
  void place_segment(std::string_view text, std::vector<Placed>& tokens) const override;

  /// Words and their places. GPT-1's original mode has others.
  virtual void place_words(const std::vector<AlignedPoint>& points, std::vector<Placed>& tokens) const;

  /// Tokens of one word, with places in the original text.
  void place_word(const std::vector<AlignedPoint>& points, PointSpan word, std::vector<Placed>& tokens) const;

 private:
  BertText text_;
};

/// The UTF-8 of some points.
std::string utf8_of(const std::vector<AlignedPoint>& points, PointSpan span);

}  // namespace gumption
