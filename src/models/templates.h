#pragma once

// How a question and a choice become a model's input.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gumption/data/question.h"
#include "gumption/models/loaded_model.h"

namespace gumption {

/// One sequence for BERT.
struct TokenSequence {
  std::vector<TokenId> ids;
  std::vector<TokenId> types;
  bool truncated = false;
};

enum class BertForm { kSocialIqa, kPair, kCosmosQa };

/// The template of that name; "auto" is what `data_format` suggests.
BertForm bert_form(std::string_view name, std::string_view data_format);
std::string_view name_of(BertForm form);

/// A question's parts in tokens; an ablated or empty part has none.
struct QuestionTokens {
  std::vector<TokenId> context;
  std::vector<TokenId> question;
};

/// The input of a multiple-choice BERT for one choice. Too long a one is cut as the papers do it: the longest segment
/// loses its last token until all fit.
TokenSequence bert_sequence(BertForm form, const BertTokens& special, QuestionTokens question,
                            std::vector<TokenId> choice, std::int64_t max_length);

/// [CLS] first [SEP] second [SEP], types 0 and 1, cut in the same way.
TokenSequence pair_sequence(const BertTokens& special, std::vector<TokenId> first, std::vector<TokenId> second,
                            std::int64_t max_length);

/// [CLS] text [SEP], all of type 0, cut at the end.
TokenSequence single_sequence(const BertTokens& special, std::vector<TokenId> text, std::int64_t max_length);

/// What a question's choices share and what each adds, for causal models.
struct TokenTree {
  std::vector<TokenId> prefix;
  std::vector<std::vector<TokenId>> branches;
  bool truncated = false;
};

/// Ids of GPT-1's special tokens, which stand behind its vocabulary.
struct Gpt1Tokens {
  TokenId start = 0;
  TokenId delimiter = 0;
  TokenId classify = 0;
};
/// Those that the tokenizer names, or the three behind its last.
Gpt1Tokens gpt1_tokens(const Tokenizer& tokenizer);

/// _start_ context question _delimiter_, and choice _classify_ for each choice. The two segments are cut at half of
/// `max_length` each, less two, as the original does.
TokenTree gpt1_tree(const Gpt1Tokens& special, std::vector<TokenId> before, std::vector<std::vector<TokenId>> choices,
                    std::int64_t max_length);

}  // namespace gumption
