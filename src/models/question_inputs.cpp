#include "gumption/models/question_inputs.h"

#include <sstream>

#include <fmt/format.h>

#include "gumption/base/error.h"
#include "gumption/weights/model_record.h"

namespace gumption {

void BertInputs::check() const {
  if (form == BertForm::kSocialIqa && special.unused0 < 0) {
    throw UserError(
        "The template social-iqa needs the token [unused0], which this vocabulary lacks. Take --set template=pair.");
  }
}

std::string BertInputs::settings() const {
  return fmt::format("template={} no_context={} no_question={}", name_of(form), no_context, no_question);
}

std::string Gpt1Inputs::settings() const {
  return fmt::format("no_context={} no_question={}", no_context, no_question);
}

std::string note_on_input(const std::filesystem::path& folder, const std::string& settings) {
  const auto record = find_record(folder);
  if (!record) return {};
  std::istringstream trained(record->input);
  std::istringstream asked(settings);
  for (std::string before, now; trained >> before && asked >> now;) {
    if (before == now) continue;
    return fmt::format("{} was trained with {}, and is asked with {}. --set {} asks it as it was trained.",
                       folder.string(), before, now, before);
  }
  return {};
}

std::vector<TokenSequence> BertInputs::operator()(const Question& question, TextEncoder& encode) const {
  QuestionTokens tokens;
  if (!no_context) tokens.context = encode(question.context);
  if (!no_question) tokens.question = encode(asked_question(question));
  std::vector<TokenSequence> sequences;
  for (const std::string& choice : question.choices) {
    sequences.push_back(bert_sequence(form, special, tokens, encode(choice), max_length));
  }
  return sequences;
}

TokenTree Gpt1Inputs::operator()(const Question& question, TextEncoder& encode) const {
  Question asked;
  if (!no_context) asked.context = question.context;
  if (!no_question) asked.question = asked_question(question);
  std::vector<std::vector<TokenId>> choices;
  for (const std::string& choice : question.choices) choices.push_back(encode(choice));
  return gpt1_tree(special, encode(joined_prefix(asked)), std::move(choices), max_length);
}

}  // namespace gumption
