#include "gumption/models/templates.h"

#include <algorithm>
#include <array>

#include "gumption/base/error.h"

namespace gumption {

namespace {

using Ids = std::vector<TokenId>;

/// Takes last tokens off the longest segment (of equal ones the last) until all together have at most `room`.
bool cut_longest(std::initializer_list<Ids*> segments, std::int64_t room) {
  const auto total = [&] {
    std::size_t sum = 0;
    for (const Ids* segment : segments) sum += segment->size();
    return static_cast<std::int64_t>(sum);
  };
  bool cut = false;
  for (std::int64_t over = total() - room; over > 0; --over, cut = true) {
    Ids* longest = *segments.begin();
    for (Ids* segment : segments) {
      if (segment->size() >= longest->size()) longest = segment;
    }
    longest->pop_back();
  }
  return cut;
}

void append(TokenSequence& sequence, const Ids& ids, TokenId type) {
  sequence.ids.insert(sequence.ids.end(), ids.begin(), ids.end());
  sequence.types.resize(sequence.ids.size(), type);
}

void append(TokenSequence& sequence, TokenId id, TokenId type) {
  sequence.ids.push_back(id);
  sequence.types.push_back(type);
}

/// The first segment of the two-segment templates.
Ids joined(BertForm form, const BertTokens& special, const QuestionTokens& question) {
  Ids first = question.context;
  if (form == BertForm::kSocialIqa && !question.context.empty() && !question.question.empty()) {
    first.push_back(special.unused0);
  }
  first.insert(first.end(), question.question.begin(), question.question.end());
  return first;
}

TokenSequence three_segments(const BertTokens& special, QuestionTokens question, Ids choice, std::int64_t max_length) {
  constexpr std::int64_t kSpecials = 4;
  TokenSequence sequence;
  sequence.truncated = cut_longest({&question.context, &question.question, &choice}, max_length - kSpecials);
  append(sequence, special.cls, 0);
  append(sequence, question.context, 0);
  append(sequence, special.sep, 0);
  append(sequence, question.question, 0);
  append(sequence, special.sep, 0);
  append(sequence, choice, 1);
  append(sequence, special.sep, 1);
  return sequence;
}

}  // namespace

BertForm bert_form(std::string_view name, std::string_view data_format) {
  if (name == "social-iqa") return BertForm::kSocialIqa;
  if (name == "pair") return BertForm::kPair;
  if (name == "cosmos-qa") return BertForm::kCosmosQa;
  ensure(name == "auto", "a template's name is known");
  constexpr std::array<std::string_view, 3> kLikeSocialIqa = {"social-iqa", "copa-xml", "superglue-copa"};
  if (std::find(kLikeSocialIqa.begin(), kLikeSocialIqa.end(), data_format) != kLikeSocialIqa.end()) {
    return BertForm::kSocialIqa;
  }
  return data_format.starts_with("cosmos-") ? BertForm::kCosmosQa : BertForm::kPair;
}

std::string_view name_of(BertForm form) {
  switch (form) {
    case BertForm::kSocialIqa:
      return "social-iqa";
    case BertForm::kPair:
      return "pair";
    case BertForm::kCosmosQa:
      return "cosmos-qa";
  }
  throw InternalError("a template has a name");
}

TokenSequence pair_sequence(const BertTokens& special, Ids first, Ids second, std::int64_t max_length) {
  constexpr std::int64_t kSpecials = 3;
  TokenSequence sequence;
  sequence.truncated = cut_longest({&first, &second}, max_length - kSpecials);
  append(sequence, special.cls, 0);
  append(sequence, first, 0);
  append(sequence, special.sep, 0);
  append(sequence, second, 1);
  append(sequence, special.sep, 1);
  return sequence;
}

TokenSequence bert_sequence(BertForm form, const BertTokens& special, QuestionTokens question, Ids choice,
                            std::int64_t max_length) {
  const bool both = !question.context.empty() && !question.question.empty();
  if (form == BertForm::kCosmosQa && both) {
    return three_segments(special, std::move(question), std::move(choice), max_length);
  }
  return pair_sequence(special, joined(form, special, question), std::move(choice), max_length);
}

TokenSequence single_sequence(const BertTokens& special, Ids text, std::int64_t max_length) {
  constexpr std::int64_t kSpecials = 2;
  TokenSequence sequence;
  sequence.truncated = cut_longest({&text}, max_length - kSpecials);
  append(sequence, special.cls, 0);
  append(sequence, text, 0);
  append(sequence, special.sep, 0);
  return sequence;
}

Gpt1Tokens gpt1_tokens(const Tokenizer& tokenizer) {
  const auto& vocabulary = tokenizer.vocabulary();
  const auto start = vocabulary.id_of("_start_");
  const auto delimiter = vocabulary.id_of("_delimiter_");
  const auto classify = vocabulary.id_of("_classify_");
  if (start && delimiter && classify) return {*start, *delimiter, *classify};
  const auto next = static_cast<TokenId>(vocabulary.id_limit());
  return {next, next + 1, next + 2};
}

TokenTree gpt1_tree(const Gpt1Tokens& special, Ids before, std::vector<Ids> choices, std::int64_t max_length) {
  const auto most = static_cast<std::size_t>(max_length / 2 - 2);
  TokenTree tree;
  const auto cut = [&](Ids& segment) {
    if (segment.size() <= most) return;
    segment.resize(most);
    tree.truncated = true;
  };
  cut(before);
  tree.prefix.push_back(special.start);
  tree.prefix.insert(tree.prefix.end(), before.begin(), before.end());
  tree.prefix.push_back(special.delimiter);
  for (Ids& choice : choices) {
    cut(choice);
    choice.push_back(special.classify);
    tree.branches.push_back(std::move(choice));
  }
  return tree;
}

}  // namespace gumption
