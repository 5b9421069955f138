#include "gumption/models/bert_systems.h"

#include <algorithm>

#include <c10/core/InferenceMode.h>
#include <fmt/format.h>

#include "gumption/base/error.h"
#include "gumption/models/batching.h"
#include "gumption/models/likelihood.h"
#include "gumption/models/question_inputs.h"

namespace gumption {

namespace {

/// Opens a BERT and sees to it that it has the head a system needs.
OpenedModel open_bert(const ModelOptions& options, bool HeadsFound::*head, std::string_view name,
                      std::string_view advice) {
  OpenedModel model = open_model(options, {Architecture::kBert});
  if (head != nullptr) require_head(model, model.checkpoint.heads.*head, name, advice);
  return model;
}

/// The sequences of all choices of some questions, question by question.
std::vector<TokenSequence> choice_sequences(
    std::span<const Question> questions, const std::function<void(const Question&, std::vector<TokenSequence>&)>& add) {
  std::vector<TokenSequence> sequences;
  for (const Question& question : questions) add(question, sequences);
  return sequences;
}

/// Deals a flat list of scores out to the questions' choices.
std::vector<Answer> to_answers(std::span<const Question> questions, std::span<const double> scores) {
  std::vector<Answer> answers;
  std::size_t at = 0;
  for (const Question& question : questions) {
    const auto own = scores.subspan(at, question.choices.size());
    answers.push_back(make_answer(question.id, {own.begin(), own.end()}));
    at += question.choices.size();
  }
  return answers;
}

void store(Items items, const at::Tensor& values, std::vector<double>& scores) {
  const at::Tensor on_host = values.to(at::TensorOptions().device(at::kCPU).dtype(at::kDouble)).contiguous();
  const double* value = on_host.const_data_ptr<double>();
  for (const std::size_t item : items) scores[item] = *value++;
}

}  // namespace

BertRunner::BertRunner(OpenedModel model, BertHeads heads)
    : model_(std::move(model)),
      special_(bert_tokens(*model_.tokenizer, model_.checkpoint.folder.string())),
      encoder_(*model_.tokenizer),
      source_(model_.checkpoint, model_.options),
      bert_(model_.checkpoint.config, source_, heads) {}

std::vector<std::int64_t> BertRunner::lengths_of(std::span<const TokenSequence> sequences) {
  std::vector<std::int64_t> lengths;
  for (const TokenSequence& sequence : sequences) {
    lengths.push_back(static_cast<std::int64_t>(sequence.ids.size()));
    truncated_ += sequence.truncated ? 1 : 0;
  }
  return lengths;
}

namespace {

struct PackedBatch {
  PackedTokens tokens;
  std::vector<std::int64_t> first_rows;
};

PackedBatch pack(std::span<const TokenSequence> sequences, Items items) {
  PackedBatch batch;
  for (const std::size_t item : items) {
    batch.first_rows.push_back(batch.tokens.layout.tokens());
    batch.tokens.add(sequences[item].ids, sequences[item].types);
  }
  return batch;
}

}  // namespace

void BertRunner::run(std::span<const TokenSequence> sequences, const Take& take) {
  const c10::InferenceMode no_gradients;
  run_in_batches(lengths_of(sequences), model_.batch_tokens, [&](Items items) {
    const PackedBatch batch = pack(sequences, items);
    take(items, bert_.encode(bert_.input(batch.tokens)), to_device(batch.first_rows, model_.options));
  });
}

std::vector<double> BertRunner::score(std::span<const TokenSequence> sequences, const Head& head) {
  if (!graphs_) {
    graphs_.emplace([this, head](const BatchInput& input,
                                 const at::Tensor& rows) { return head(bert_, bert_.pool(bert_.encode(input), rows)); },
                    Sight::kBothWays, model_.options);
  }
  // Values stay on the device until all batches are under way: fetching them would wait for each.
  const c10::InferenceMode no_gradients;
  std::vector<std::size_t> order;
  std::vector<at::Tensor> parts;
  run_in_batches(lengths_of(sequences), model_.batch_tokens, [&](Items items) {
    const PackedBatch batch = pack(sequences, items);
    parts.push_back(graphs_->run(batch.tokens, batch.first_rows));
    order.insert(order.end(), items.begin(), items.end());
  });
  std::vector<double> scores(sequences.size());
  if (!parts.empty()) store(order, at::cat(parts), scores);
  return scores;
}

BertSystem::BertSystem(const BertOptions& options)
    : options_(options),
      runner_(open_bert(options.model, &HeadsFound::multiple_choice, "multiple-choice",
                        "Train it with `gumption train --system bert`, or score without training: --method "
                        "masked-likelihood, similarity or next-sentence"),
              {.pooler = true, .multiple_choice = true}),
      form_(bert_form(options.form, "")) {}

void BertSystem::note_format(std::string_view format) { form_ = bert_form(options_.form, format); }

BertInputs BertSystem::inputs() const {
  return {form_, runner_.special(), runner_.max_length(), options_.no_context, options_.no_question};
}

std::string BertSystem::note() const { return note_on_input(runner_.folder(), inputs().settings()); }

std::vector<Answer> BertSystem::answer(std::span<const Question> questions) {
  const BertInputs inputs = this->inputs();
  inputs.check();
  const auto sequences = choice_sequences(questions, [&](const Question& question, std::vector<TokenSequence>& all) {
    for (TokenSequence& sequence : inputs(question, runner_.encoder())) all.push_back(std::move(sequence));
  });
  return to_answers(questions, runner_.score(sequences, [](const Bert& bert, const at::Tensor& pooled) {
    return bert.choice_logits(pooled);
  }));
}

NextSentenceSystem::NextSentenceSystem(const NextSentenceOptions& options)
    : runner_(open_bert(options.model, &HeadsFound::next_sentence, "next-sentence",
                        "The hub's BERTs have one (`gumption model pull NAME --from hub`); or take another --method"),
              {.pooler = true, .next_sentence = true}) {}

std::vector<Answer> NextSentenceSystem::answer(std::span<const Question> questions) {
  const auto sequences = choice_sequences(questions, [&](const Question& question, std::vector<TokenSequence>& all) {
    const auto prefix = runner_.encode(joined_prefix(question));
    for (const std::string& choice : question.choices) {
      all.push_back(pair_sequence(runner_.special(), prefix, runner_.encode(choice), runner_.max_length()));
    }
  });
  return to_answers(questions, runner_.score(sequences, [](const Bert& bert, const at::Tensor& pooled) {
    return at::log_softmax(bert.next_sentence_logits(pooled), -1).select(-1, 0);
  }));
}

SimilaritySystem::SimilaritySystem(const SimilarityOptions& options)
    : runner_(open_bert(options.model, nullptr, "", ""), {}) {}

at::Tensor SimilaritySystem::vectors_of(std::span<const std::string> texts) {
  std::vector<TokenSequence> sequences;
  for (const std::string& text : texts) {
    sequences.push_back(single_sequence(runner_.special(), runner_.encode(text), runner_.max_length()));
  }
  const auto count = static_cast<std::int64_t>(texts.size());
  at::Tensor vectors = at::empty({count, runner_.bert().config().hidden}, at::kFloat);
  runner_.run(sequences, [&](Items items, const at::Tensor& states, const at::Tensor&) {
    std::int64_t row = 0;
    for (const std::size_t item : items) {
      const auto length = static_cast<std::int64_t>(sequences[item].ids.size());
      const at::Tensor mean = states.narrow(0, row, length).to(at::kFloat).mean(0);
      vectors.select(0, static_cast<std::int64_t>(item)).copy_(mean / mean.norm());
      row += length;
    }
  });
  return vectors;
}

std::vector<Answer> SimilaritySystem::answer(std::span<const Question> questions) {
  std::vector<std::string> texts;
  for (const Question& question : questions) {
    texts.push_back(joined_prefix(question));
    texts.insert(texts.end(), question.choices.begin(), question.choices.end());
  }
  const c10::InferenceMode no_gradients;
  const at::Tensor vectors = vectors_of(texts);
  std::vector<Answer> answers;
  std::int64_t row = 0;
  for (const Question& question : questions) {
    const auto choices = static_cast<std::int64_t>(question.choices.size());
    const at::Tensor cosines = at::mv(vectors.narrow(0, row + 1, choices), vectors[row]).to(at::kDouble);
    const double* first = cosines.const_data_ptr<double>();
    answers.push_back(make_answer(question.id, {first, first + choices}));
    row += choices + 1;
  }
  return answers;
}

/// Masked copies of some choices, one for each token.
struct MaskedLmSystem::Work {
  std::vector<TokenSequence> sequences;
  std::vector<std::int64_t> masked_at;
  std::vector<std::int64_t> truth;
  std::vector<double> log_probabilities;  // of the truth, once the copies have run
};

MaskedLmSystem::MaskedLmSystem(const MaskedLmOptions& options)
    : options_(options),
      runner_(open_bert(options.model, &HeadsFound::masked_lm, "masked-LM", "Take another --method"),
              {.masked_lm = true}) {}

MaskedLmSystem::Copies MaskedLmSystem::add_masked(const std::vector<TokenId>& prefix,
                                                  const std::vector<TokenId>& choice, Work& work) {
  const TokenSequence whole = pair_sequence(runner_.special(), prefix, choice, runner_.max_length());
  // The second segment is as long as its types say and ends with a [SEP].
  const auto end = static_cast<std::int64_t>(whole.ids.size()) - 1;
  const std::int64_t begin = end + 1 - std::count(whole.types.begin(), whole.types.end(), 1);
  const Copies copies = {work.sequences.size(), static_cast<std::size_t>(end - begin)};
  for (std::int64_t at = begin; at < end; ++at) {
    TokenSequence copy = whole;
    TokenId& token = copy.ids[static_cast<std::size_t>(at)];
    work.truth.push_back(token);
    work.masked_at.push_back(at);
    token = runner_.special().mask;
    copy.truncated = whole.truncated && at == begin;  // counted once
    work.sequences.push_back(std::move(copy));
  }
  return copies;
}

void MaskedLmSystem::run(Work& work) {
  work.log_probabilities.resize(work.sequences.size());
  runner_.run(work.sequences, [&](Items items, const at::Tensor& states, const at::Tensor& first_rows) {
    std::vector<std::int64_t> offsets;
    std::vector<std::int64_t> truth;
    for (const std::size_t item : items) {
      offsets.push_back(work.masked_at[item]);
      truth.push_back(work.truth[item]);
    }
    const at::Tensor rows = first_rows + to_device(offsets, states.options());
    const at::Tensor logits = runner_.bert().masked_lm_logits(states, rows);
    store(items, log_probabilities(logits, to_device(truth, states.options())), work.log_probabilities);
  });
}

std::vector<Answer> MaskedLmSystem::answer(std::span<const Question> questions) {
  struct Choice {
    Copies given;
    Copies prior;
  };
  const bool with_prior = options_.normalise == "prior";
  Work work;
  std::vector<Choice> choices;
  for (const Question& question : questions) {
    const auto prefix = runner_.encode(joined_prefix(question));
    for (const std::string& text : question.choices) {
      const auto ids = runner_.encode(text);
      Choice choice;
      choice.given = add_masked(prefix, ids, work);
      if (with_prior) choice.prior = add_masked({}, ids, work);
      choices.push_back(choice);
    }
  }
  run(work);
  const auto values_of = [&](const Copies& copies) {
    const auto begin = work.log_probabilities.begin() + static_cast<std::ptrdiff_t>(copies.first);
    return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(copies.count));
  };
  std::vector<Answer> answers;
  auto choice = choices.begin();
  for (const Question& question : questions) {
    std::vector<ChoiceLikelihood> likelihoods;
    for (std::size_t i = 0; i < question.choices.size(); ++i, ++choice) {
      likelihoods.push_back({values_of(choice->given), values_of(choice->prior), choice->given.count});
    }
    answers.push_back(likelihood_answer(question, likelihoods, options_));
  }
  return answers;
}

}  // namespace gumption
