#pragma once

// Whole questions as a model's input: what answering and training share.

#include <vector>

#include "gumption/models/loaded_model.h"
#include "gumption/models/templates.h"
#include "gumption/systems/model_systems.h"

namespace gumption {

/// How questions become a BERT's input.
struct BertInputs {
  BertForm form = BertForm::kPair;
  BertTokens special;
  std::int64_t max_length = 0;
  bool no_context = false;
  bool no_question = false;

  /// UserError where the template needs a token that the vocabulary lacks.
  void check() const;
  /// One sequence for each choice.
  std::vector<TokenSequence> operator()(const Question& question, TextEncoder& encode) const;
};

/// How questions become a GPT-1's input.
struct Gpt1Inputs {
  Gpt1Tokens special;
  std::int64_t max_length = 0;
  bool no_context = false;
  bool no_question = false;

  TokenTree operator()(const Question& question, TextEncoder& encode) const;
};

}  // namespace gumption
