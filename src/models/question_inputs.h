#pragma once

// Whole questions as a model's input: what answering and training share.

#include <filesystem>
#include <string>
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
  /// As options have them: "template=pair no_context=false no_question=false".
  std::string settings() const;
  /// One sequence for each choice.
  std::vector<TokenSequence> operator()(const Question& question, TextEncoder& encode) const;
};

/// How questions become a GPT-1's input.
struct Gpt1Inputs {
  Gpt1Tokens special;
  std::int64_t max_length = 0;
  bool no_context = false;
  bool no_question = false;

  std::string settings() const;
  TokenTree operator()(const Question& question, TextEncoder& encode) const;
};

/// What to say where a folder's model was trained with other settings of its input than it is asked with; empty:
/// nothing.
std::string note_on_input(const std::filesystem::path& folder, const std::string& settings);

}  // namespace gumption
