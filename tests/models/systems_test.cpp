// What the model systems promise whatever their weights.

#include <cmath>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gumption/base/error.h"
#include "gumption/models/batching.h"
#include "gumption/models/bert_systems.h"
#include "gumption/models/gpt_systems.h"

#include "support/support.h"

namespace gumption {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<Question> some_questions() {
  std::vector<Question> questions;
  const std::vector<std::vector<std::string>> choices = {{"yes", "no"},
                                                         {"the sun was rising", "the grass was cut", "nobody knew"},
                                                         {"a", "b", "c", "d", "e"},
                                                         {"x y z", "w"}};
  for (std::size_t i = 0; i < choices.size(); ++i) {
    Question question;
    question.id = std::to_string(i);
    for (std::size_t k = 0; k <= 3 * i; ++k) question.context += "My body cast a shadow over the grass. ";
    question.question = i % 2 == 0 ? "" : "What happened?";
    question.choices = choices[i];
    questions.push_back(std::move(question));
  }
  return questions;
}

/// Answers must not depend on how questions are cut into batches.
void expect_the_same(const std::vector<Answer>& a, const std::vector<Answer>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t q = 0; q < a.size(); ++q) {
    EXPECT_EQ(a[q].choice, b[q].choice);
    ASSERT_EQ(a[q].scores.size(), b[q].scores.size());
    for (std::size_t i = 0; i < a[q].scores.size(); ++i) EXPECT_NEAR(a[q].scores[i], b[q].scores[i], 1e-5);
  }
}

template <class Made, class Options>
void expect_batches_change_nothing(Options options) {
  const auto questions = some_questions();
  Made all_at_once(options);
  const auto together = all_at_once.answer(questions);
  options.model.batch_tokens = 1;
  Made one_by_one(options);
  expect_the_same(together, one_by_one.answer(questions));
  std::vector<Answer> alone;
  for (const Question& question : questions) alone.push_back(all_at_once.answer(std::span(&question, 1)).front());
  expect_the_same(together, alone);
}

TEST(BertSystem, BatchesChangeNothing) {
  GUMPTION_NEEDS_SHARED(folder, "golden/bert-multiple-choice");
  BertOptions options;
  options.model.model = folder.string();
  options.model.device = test::test_device();
  for (const char* form : {"social-iqa", "pair", "cosmos-qa"}) {
    options.form = form;
    expect_batches_change_nothing<BertSystem>(options);
  }
}

TEST(GptSystem, BatchesChangeNothing) {
  GUMPTION_NEEDS_SHARED(folder, "golden/gpt1-double-heads");
  GUMPTION_NEEDS_SHARED(tokenizer, "data/vocab/gpt1");
  GptOptions options;
  options.model.model = folder.string();
  options.model.device = test::test_device();
  options.model.tokenizer = tokenizer.string();
  expect_batches_change_nothing<GptSystem>(options);
}

TEST(LanguageModelSystem, BatchesChangeNothing) {
  GUMPTION_NEEDS_SHARED(folder, "golden/gpt2-lm");
  GUMPTION_NEEDS_SHARED(tokenizer, "data/vocab/gpt2");
  LanguageModelOptions options;
  options.model.model = folder.string();
  options.model.device = test::test_device();
  options.model.tokenizer = tokenizer.string();
  for (const char* normalise : {"none", "tokens", "chars", "prior"}) {
    options.normalise = normalise;
    expect_batches_change_nothing<LanguageModelSystem>(options);
  }
}

TEST(LanguageModelSystem, NormalisationsFollowFromTheTokens) {
  GUMPTION_NEEDS_SHARED(folder, "golden/gpt2-lm");
  GUMPTION_NEEDS_SHARED(tokenizer, "data/vocab/gpt2");
  LanguageModelOptions options;
  options.model.model = folder.string();
  options.model.device = test::test_device();
  options.model.tokenizer = tokenizer.string();
  options.details = true;
  const auto questions = some_questions();
  const auto plain = LanguageModelSystem(options).answer(questions);
  options.normalise = "tokens";
  const auto by_tokens = LanguageModelSystem(options).answer(questions);
  options.normalise = "chars";
  const auto by_chars = LanguageModelSystem(options).answer(questions);
  options.normalise = "prior";
  const auto over_prior = LanguageModelSystem(options).answer(questions);
  // The prior is the likelihood behind nothing, which is what an empty question has before it.
  std::vector<Question> bare = questions;
  for (Question& question : bare) question.context = question.question = "";
  options.normalise = "none";
  const auto prior = LanguageModelSystem(options).answer(bare);
  for (std::size_t q = 0; q < questions.size(); ++q) {
    for (std::size_t i = 0; i < questions[q].choices.size(); ++i) {
      const double sum = plain[q].scores[i];
      const auto& tokens = plain[q].token_log_probabilities[i];
      EXPECT_NEAR(sum, std::accumulate(tokens.begin(), tokens.end(), 0.0), 1e-9);
      EXPECT_NEAR(by_tokens[q].scores[i], sum / static_cast<double>(tokens.size()), 1e-5);
      EXPECT_NEAR(by_chars[q].scores[i], sum / static_cast<double>(questions[q].choices[i].size()), 1e-5);
      EXPECT_NEAR(over_prior[q].scores[i], sum - prior[q].scores[i], 1e-4);
    }
  }
}

TEST(LanguageModelSystem, Gpt1LeavesTheFirstTokenOutWhereNothingStandsBefore) {
  GUMPTION_NEEDS_SHARED(folder, "golden/gpt1-double-heads");
  GUMPTION_NEEDS_SHARED(tokenizer, "data/vocab/gpt1");
  LanguageModelOptions options;
  options.model.model = folder.string();
  options.model.device = test::test_device();
  options.model.tokenizer = tokenizer.string();
  options.details = true;
  Question question;
  question.id = "q";
  question.choices = {"the sun was rising", "grass"};
  const auto bare = LanguageModelSystem(options).answer(std::span(&question, 1)).front();
  EXPECT_EQ(bare.token_log_probabilities[0].size(), 3U);
  EXPECT_TRUE(bare.token_log_probabilities[1].empty());
  // What the bare choice gives is what its later tokens have behind its first as context.
  Question told;
  told.id = "q";
  told.context = "the";
  told.choices = {"sun was rising", "grass"};
  EXPECT_NEAR(LanguageModelSystem(options).answer(std::span(&told, 1)).front().scores[0], bare.scores[0], 1e-4);
}

TEST(BertSystem, CutsWhatIsTooLongAndCountsIt) {
  GUMPTION_NEEDS_SHARED(folder, "golden/bert-multiple-choice");
  BertOptions options;
  options.model.model = folder.string();
  options.model.device = test::test_device();
  options.model.max_length = 16;
  BertSystem system(options);
  const auto questions = some_questions();
  system.answer(questions);
  EXPECT_EQ(system.truncated(), 10U);  // the choices of all but the first question, whose eleven tokens fit
}

TEST(BertSystem, RefusesATokenizerOfAnotherSize) {
  GUMPTION_NEEDS_SHARED(folder, "golden/bert-multiple-choice");
  const test::TemporaryFolder tokenizer;
  tokenizer.write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\n");
  BertOptions options;
  options.model.model = folder.string();
  options.model.tokenizer = tokenizer.path().string();
  EXPECT_THAT([&] { BertSystem system(options); },
              testing::ThrowsMessage<UserError>(
                  HasSubstr("expected a tokenizer of 30522 tokens, as the model has, found one of 6")));
}

TEST(BertSystem, SaysWhatIsMissing) {
  GUMPTION_NEEDS_SHARED(next_sentence, "golden/bert-next-sentence");
  GUMPTION_NEEDS_SHARED(gpt, "golden/gpt2-lm");
  BertOptions options;
  options.model.model = next_sentence.string();
  EXPECT_THAT([&] { BertSystem system(options); },
              testing::ThrowsMessage<UserError>(HasSubstr("expected a checkpoint with a multiple-choice head")));
  options.model.model = gpt.string();
  EXPECT_THAT([&] { BertSystem system(options); },
              testing::ThrowsMessage<UserError>(HasSubstr("expected a BERT, found a GPT-2")));
}

TEST(Batching, CutsByTokensAndKeepsLikeLengthsTogether) {
  const std::vector<std::int64_t> lengths = {5, 2, 9, 2, 4};
  EXPECT_THAT(cut_batches(lengths, 8), ElementsAre(ElementsAre(1, 3, 4), ElementsAre(0), ElementsAre(2)));
}

TEST(Batching, HalvesABatchThatDoesNotFit) {
  const std::vector<std::int64_t> lengths = {1, 1, 1, 1, 1, 1};
  std::vector<std::size_t> done;
  std::int64_t budget = 6;
  run_in_batches(lengths, budget, [&](Items items) {
    if (items.size() > 2) TORCH_CHECK_WITH(OutOfMemoryError, false, "no room");
    done.insert(done.end(), items.begin(), items.end());
  });
  EXPECT_THAT(done, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_LE(budget, 3);
  EXPECT_THAT(
      [&] { run_in_batches(lengths, budget, [](Items) { TORCH_CHECK_WITH(OutOfMemoryError, false, "none"); }); },
      testing::ThrowsMessage<UserError>(HasSubstr("doesn't fit into memory")));
}

}  // namespace
}  // namespace gumption
