#include "gumption/models/gpt_systems.h"

#include <algorithm>

#include <c10/core/InferenceMode.h>
#include <fmt/format.h>

#include "gumption/base/error.h"
#include "gumption/models/question_inputs.h"

namespace gumption {

namespace {

OpenedModel open_gpt1(const GptOptions& options) {
  OpenedModel model = open_model(options.model, {Architecture::kGpt1});
  require_head(model, model.checkpoint.heads.multiple_choice, "multiple-choice",
               "Train it with `gumption train --system gpt`, or score without training: --method likelihood");
  const Gpt1Tokens special = gpt1_tokens(*model.tokenizer);
  const auto needed = std::max({special.start, special.delimiter, special.classify}) + 1;
  if (needed > model.checkpoint.config.vocabulary) {
    throw UserError(Complaint{
        model.checkpoint.folder.string(), 0,
        fmt::format("an embedding of {} tokens, with _start_, _delimiter_ and _classify_", needed),
        fmt::format("{}", model.checkpoint.config.vocabulary), "Train it with `gumption train --system gpt`"});
  }
  return model;
}

std::int64_t tokens_of(const TokenTree& tree) {
  std::size_t tokens = tree.prefix.size();
  for (const auto& branch : tree.branches) tokens += branch.size();
  return static_cast<std::int64_t>(tokens);
}

at::Tensor to_host(const at::Tensor& values) {
  return values.to(at::TensorOptions().device(at::kCPU).dtype(at::kDouble)).contiguous();
}

}  // namespace

GptRunner::GptRunner(OpenedModel model, bool choice_head)
    : model_(std::move(model)),
      encoder_(*model_.tokenizer),
      source_(model_.checkpoint, model_.options),
      gpt_(model_.checkpoint.config, source_, choice_head),
      graphs_([this](const BatchInput& input,
                     const at::Tensor& rows) { return gpt_.choice_logits(gpt_.decode(input).index_select(0, rows)); },
              Sight::kCausal, model_.options) {}

std::vector<std::int64_t> GptRunner::lengths_of(std::span<const TokenTree> trees) {
  std::vector<std::int64_t> lengths;
  for (const TokenTree& tree : trees) {
    lengths.push_back(tokens_of(tree));
    truncated_ += tree.truncated ? 1 : 0;
  }
  return lengths;
}

namespace {

struct PackedTrees {
  PackedTokens tokens;
  std::vector<GptRunner::Place> places;
};

PackedTrees pack(std::span<const TokenTree> trees, Items items) {
  PackedTrees packed;
  for (const std::size_t item : items) {
    const TokenTree& tree = trees[item];
    GptRunner::Place place;
    const std::int64_t parent = tree.prefix.empty() ? -1 : packed.tokens.add(tree.prefix);
    place.prefix_end = packed.tokens.layout.tokens();
    for (const auto& branch : tree.branches) {
      place.branch_begins.push_back(packed.tokens.layout.tokens());
      if (!branch.empty()) packed.tokens.add(branch, {}, parent);
    }
    packed.places.push_back(std::move(place));
  }
  return packed;
}

}  // namespace

void GptRunner::run(std::span<const TokenTree> trees, const Take& take) {
  const c10::InferenceMode no_gradients;
  run_in_batches(lengths_of(trees), model_.batch_tokens, [&](Items items) {
    const PackedTrees packed = pack(trees, items);
    // Choices of a single token read nothing behind an empty prefix.
    if (packed.tokens.ids.empty()) return;
    take(items, gpt_.decode(gpt_.input(packed.tokens)), packed.places);
  });
}

std::vector<double> GptRunner::score_choices(std::span<const TokenTree> trees) {
  const c10::InferenceMode no_gradients;
  std::vector<std::size_t> first_score;
  std::size_t choices = 0;
  for (const TokenTree& tree : trees) {
    first_score.push_back(choices);
    choices += tree.branches.size();
  }
  std::vector<std::size_t> order;
  std::vector<at::Tensor> parts;
  run_in_batches(lengths_of(trees), model_.batch_tokens, [&](Items items) {
    const PackedTrees packed = pack(trees, items);
    std::vector<std::int64_t> rows;
    for (std::size_t i = 0; i < items.size(); ++i) {
      const auto& begins = packed.places[i].branch_begins;
      for (std::size_t k = 0; k < begins.size(); ++k) {
        rows.push_back(begins[k] + static_cast<std::int64_t>(trees[items[i]].branches[k].size()) - 1);
        order.push_back(first_score[items[i]] + k);
      }
    }
    parts.push_back(graphs_.run(packed.tokens, rows));
  });
  std::vector<double> scores(choices);
  if (parts.empty()) return scores;
  const at::Tensor values = to_host(at::cat(parts));
  const double* value = values.const_data_ptr<double>();
  for (const std::size_t place : order) scores[place] = *value++;
  return scores;
}

GptSystem::GptSystem(const GptOptions& options)
    : options_(options), runner_(open_gpt1(options), true), special_(gpt1_tokens(runner_.tokenizer())) {}

Gpt1Inputs GptSystem::inputs() const {
  return {special_, runner_.model().max_length, options_.no_context, options_.no_question};
}

std::string GptSystem::note() const { return note_on_input(runner_.model().checkpoint.folder, inputs().settings()); }

std::vector<Answer> GptSystem::answer(std::span<const Question> questions) {
  const Gpt1Inputs inputs = this->inputs();
  std::vector<TokenTree> trees;
  for (const Question& question : questions) trees.push_back(inputs(question, runner_.encoder()));
  const std::vector<double> scores = runner_.score_choices(trees);
  std::vector<Answer> answers;
  auto score = scores.begin();
  for (const Question& question : questions) {
    const auto end = score + static_cast<std::ptrdiff_t>(question.choices.size());
    answers.push_back(make_answer(question.id, {score, end}));
    score = end;
  }
  return answers;
}

/// A choice's tokens that are asked for: those of `ids` from `first` on.
struct LanguageModelSystem::Choice {
  std::vector<TokenId> ids;
  std::size_t first = 0;
  std::vector<double> log_probabilities;
};

/// A prefix and its choices.
struct LanguageModelSystem::Asked {
  TokenTree tree;
  std::vector<Choice> choices;
};

LanguageModelSystem::LanguageModelSystem(const LanguageModelOptions& options)
    : options_(options), runner_(open_model(options.model, {Architecture::kGpt1, Architecture::kGpt2}), false) {
  if (runner_.model().checkpoint.config.architecture != Architecture::kGpt2) return;
  const auto end = runner_.tokenizer().vocabulary().id_of("<|endoftext|>");
  if (!end) {
    throw UserError(Complaint{runner_.model().checkpoint.folder.string(), 0, "a vocabulary with <|endoftext|>", "none",
                              "Name GPT-2's tokenizer with --tokenizer"});
  }
  nothing_ = {*end};
}

LanguageModelSystem::Asked LanguageModelSystem::ask(std::vector<TokenId> prefix,
                                                    const std::vector<std::vector<TokenId>>& choices,
                                                    bool skip_first) const {
  if (prefix.empty()) prefix = nothing_;
  Asked asked;
  std::size_t longest = 0;
  for (const auto& choice : choices) longest = std::max(longest, choice.size());
  // The last token of a choice is predicted, never read. All choices keep the same prefix: its end.
  const auto room = static_cast<std::size_t>(runner_.model().max_length);
  const std::size_t kept = std::min(longest, room - 1);
  const std::size_t prefix_room = std::max<std::size_t>(1, room - kept);
  if (prefix.size() > prefix_room) {
    prefix.erase(prefix.begin(), prefix.end() - static_cast<std::ptrdiff_t>(prefix_room));
    asked.tree.truncated = true;
  }
  for (const auto& ids : choices) {
    Choice choice{ids, skip_first || prefix.empty() ? std::size_t{1} : std::size_t{0}, {}};
    if (choice.ids.size() > kept) {
      choice.ids.resize(kept);
      asked.tree.truncated = true;
    }
    asked.choices.push_back(std::move(choice));
  }
  asked.tree.prefix = std::move(prefix);
  for (const Choice& choice : asked.choices) {
    const std::size_t read = choice.ids.empty() ? 0 : choice.ids.size() - 1;
    asked.tree.branches.emplace_back(choice.ids.begin(), choice.ids.begin() + static_cast<std::ptrdiff_t>(read));
  }
  return asked;
}

void LanguageModelSystem::score(std::vector<Asked>& all) {
  std::vector<TokenTree> trees;
  for (Asked& asked : all) trees.push_back(std::move(asked.tree));
  runner_.run(trees, [&](Items items, const at::Tensor& states, std::span<const GptRunner::Place> places) {
    // Each token is predicted at the one before it; the first of a choice at the prefix's end.
    std::vector<std::int64_t> rows;
    std::vector<std::int64_t> truth;
    for (std::size_t i = 0; i < items.size(); ++i) {
      const Asked& asked = all[items[i]];
      for (std::size_t k = 0; k < asked.choices.size(); ++k) {
        const Choice& choice = asked.choices[k];
        for (std::size_t t = choice.first; t < choice.ids.size(); ++t) {
          rows.push_back(t == 0 ? places[i].prefix_end - 1
                                : places[i].branch_begins[k] + static_cast<std::int64_t>(t) - 1);
          truth.push_back(choice.ids[t]);
        }
      }
    }
    if (rows.empty()) return;
    // The vocabulary is wide: a slice of rows at a time bounds the logits' memory.
    constexpr std::int64_t kRowsAtOnce = 512;
    const at::Tensor row_index = to_device(rows, states.options());
    const at::Tensor truth_index = to_device(truth, states.options());
    std::vector<at::Tensor> parts;
    for (std::int64_t at = 0; at < row_index.size(0); at += kRowsAtOnce) {
      const std::int64_t count = std::min(kRowsAtOnce, row_index.size(0) - at);
      const at::Tensor logits = runner_.gpt().token_logits(states.index_select(0, row_index.narrow(0, at, count)));
      parts.push_back(log_probabilities(logits, truth_index.narrow(0, at, count)));
    }
    const at::Tensor values = to_host(at::cat(parts));
    const double* value = values.const_data_ptr<double>();
    for (const std::size_t item : items) {
      for (Choice& choice : all[item].choices) {
        for (std::size_t t = choice.first; t < choice.ids.size(); ++t) choice.log_probabilities.push_back(*value++);
      }
    }
  });
}

std::vector<Answer> LanguageModelSystem::answer(std::span<const Question> questions) {
  const bool with_prior = options_.normalise == "prior";
  const bool skip_first = with_prior && nothing_.empty();
  std::vector<Asked> all;
  for (const Question& question : questions) {
    std::vector<std::vector<TokenId>> choices;
    for (const std::string& choice : question.choices) choices.push_back(runner_.encode(" " + choice));
    all.push_back(ask(runner_.encode(joined_prefix(question)), choices, skip_first));
    if (with_prior) all.push_back(ask({}, choices, skip_first));
  }
  score(all);
  std::vector<Answer> answers;
  auto asked = all.begin();
  for (const Question& question : questions) {
    const Asked& given = *asked++;
    const Asked* prior = with_prior ? &*asked++ : nullptr;
    std::vector<ChoiceLikelihood> likelihoods;
    for (std::size_t i = 0; i < question.choices.size(); ++i) {
      likelihoods.push_back({given.choices[i].log_probabilities,
                             prior == nullptr ? std::vector<double>{} : prior->choices[i].log_probabilities,
                             given.choices[i].ids.size()});
    }
    answers.push_back(likelihood_answer(question, likelihoods, options_));
  }
  return answers;
}

}  // namespace gumption
