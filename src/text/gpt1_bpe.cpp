#include "gumption/text/gpt1_bpe.h"

#include <utility>

#include "gumption/base/error.h"
#include "gumption/text/encode_scratch.h"
#include "gumption/text/gpt1_original.h"

namespace gumption {

Gpt1BpeTokenizer::Gpt1BpeTokenizer(Vocabulary vocabulary, std::vector<AddedToken> added, BpeMerges merges,
                                   Gpt1BpeOptions options, const std::string& file)
    : BertWordTokenizer(std::move(vocabulary), std::move(added), options.text),
      options_(std::move(options)),
      merges_(std::move(merges)) {
  if (!options_.unknown.empty()) {
    const auto unknown = this->vocabulary().id_of(options_.unknown);
    if (!unknown) {
      throw UserError(Complaint{file, 0, "the unknown token " + in_quotes(options_.unknown) + " in the vocabulary",
                                "none", "Is this file complete?"});
    }
    unknown_ = *unknown;
  }
  set_up_added_tokens();
}

void Gpt1BpeTokenizer::symbols_of(std::string_view word, std::vector<BpeSymbol>& symbols) const {
  symbols.clear();
  bool after_unknown = false;
  std::string last;
  while (!word.empty()) {
    const std::size_t length = decode_point(word).length;
    std::string_view character = word.substr(0, length);
    word.remove_prefix(length);
    if (word.empty()) {
      last = character;
      last += options_.end_of_word;
      character = last;
    }
    if (const auto id = vocabulary().id_of(character)) {
      symbols.push_back({*id, length});
      after_unknown = false;
    } else if (unknown_ >= 0) {
      if (options_.fuse_unknown && after_unknown) {
        symbols.back().length += length;
      } else {
        symbols.push_back({unknown_, length});
      }
      after_unknown = true;
    }
  }
}

void Gpt1BpeTokenizer::append_word(std::string_view word, EncodeScratch::Parts& scratch,
                                   std::vector<TokenId>& ids) const {
  symbols_of(word, scratch.symbols);
  merges_.apply(scratch.symbols, scratch.merging);
  for (const BpeSymbol& symbol : scratch.symbols) ids.push_back(symbol.id);
}

std::vector<BpeSymbol> Gpt1BpeTokenizer::pieces_of(std::string_view word) const {
  std::vector<BpeSymbol> symbols;
  BpeMerges::Scratch scratch;
  symbols_of(word, symbols);
  merges_.apply(symbols, scratch);
  return symbols;
}

void Gpt1BpeTokenizer::encode_segment(std::string_view segment, EncodeScratch::Parts& scratch,
                                      std::vector<TokenId>& ids) const {
  const auto take = [&](const char* data, std::size_t size) {
    const std::string_view word(data, size);
    if (size > WordKey::kLongest) return append_word(word, scratch, ids);
    append_cached(scratch.cache, WordKey::of(word), ids,
                  [&](std::vector<TokenId>& into) { append_word(word, scratch, into); });
  };
  if (options_.words == Gpt1Words::kBert) return text().for_each_word(segment, scratch.bert, take);
  const Gpt1Text original = gpt1_original_text(segment);
  for (const PointSpan span : original.words) {
    const std::string word = utf8_of(original.points, span);
    take(word.data(), word.size());
  }
}

void Gpt1BpeTokenizer::place_segment(std::string_view segment, std::vector<Placed>& tokens) const {
  if (options_.words == Gpt1Words::kBert) return BertWordTokenizer::place_segment(segment, tokens);
  const Gpt1Text original = gpt1_original_text(segment);
  for (const PointSpan word : original.words) place_word(original.points, word, tokens);
}

std::string Gpt1BpeTokenizer::join(std::span<const TokenId> ids) const {
  std::string text;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    std::string_view token = vocabulary().token_of(ids[i]);
    for (std::size_t at = token.find(options_.end_of_word); at != std::string_view::npos;
         at = token.find(options_.end_of_word)) {
      text += token.substr(0, at);
      if (i + 1 < ids.size()) text += ' ';
      token.remove_prefix(at + options_.end_of_word.size());
    }
    text += token;
  }
  return text;
}

}  // namespace gumption
