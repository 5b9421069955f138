// Whole systems, from text to scores, against Hugging Face's transformers.

#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "gumption/models/bert_systems.h"
#include "gumption/models/gpt_systems.h"

#include "support/support.h"

namespace gumption {
namespace {

nlohmann::json read_json(const std::filesystem::path& path) {
  std::ifstream file(path);
  return nlohmann::json::parse(file);
}

Question question_of(const nlohmann::json& json) {
  Question question;
  question.id = "q";
  question.context = json["context"];
  question.question = json["question"];
  question.choices = json["choices"].get<std::vector<std::string>>();
  return question;
}

std::vector<Question> questions_of(const nlohmann::json& items) {
  std::vector<Question> questions;
  for (const auto& item : items) questions.push_back(question_of(item["question"]));
  return questions;
}

TEST(BertSystem, GivesTheReferenceLogits) {
  GUMPTION_NEEDS_SHARED(folder, "golden/bert-multiple-choice");
  const auto items = read_json(folder / "expected.json")["items"];
  BertOptions options;
  options.model.model = folder.string();
  options.model.device = test::test_device();
  options.form = "social-iqa";
  BertSystem system(options);
  const auto answers = system.answer(questions_of(items));
  for (std::size_t q = 0; q < answers.size(); ++q) {
    for (std::size_t i = 0; i < answers[q].scores.size(); ++i) {
      EXPECT_NEAR(answers[q].scores[i], items[q]["logits"][i].get<double>(), 1e-5);
    }
  }
  EXPECT_EQ(system.truncated(), 0U);
}

TEST(GptSystem, GivesTheReferenceLogits) {
  GUMPTION_NEEDS_SHARED(folder, "golden/gpt1-double-heads");
  GUMPTION_NEEDS_SHARED(tokenizer, "data/vocab/gpt1");
  const auto items = read_json(folder / "expected.json")["items"];
  GptOptions options;
  options.model.model = folder.string();
  options.model.device = test::test_device();
  options.model.tokenizer = tokenizer.string();
  GptSystem system(options);
  const auto answers = system.answer(questions_of(items));
  for (std::size_t q = 0; q < answers.size(); ++q) {
    for (std::size_t i = 0; i < answers[q].scores.size(); ++i) {
      EXPECT_NEAR(answers[q].scores[i], items[q]["mc_logits"][i].get<double>(), 1e-5);
    }
  }
}

TEST(LanguageModelSystem, GivesTheReferenceLikelihoods) {
  GUMPTION_NEEDS_SHARED(folder, "golden/gpt2-lm");
  GUMPTION_NEEDS_SHARED(tokenizer, "data/vocab/gpt2");
  GUMPTION_NEEDS_SHARED(bert, "golden/bert-multiple-choice/expected.json");
  const auto items = read_json(folder / "expected.json")["items"];
  const auto questions = questions_of(read_json(bert)["items"]);  // the same questions, in the same order
  LanguageModelOptions options;
  options.model.model = folder.string();
  options.model.device = test::test_device();
  options.model.tokenizer = tokenizer.string();
  options.details = true;
  LanguageModelSystem system(options);
  const auto answers = system.answer(questions);
  ASSERT_EQ(answers.size(), items.size());
  for (std::size_t q = 0; q < answers.size(); ++q) {
    for (std::size_t i = 0; i < answers[q].scores.size(); ++i) {
      const double wanted = items[q]["choices"][i]["logprob"].get<double>();
      EXPECT_NEAR(answers[q].scores[i], wanted, 1e-4 * std::abs(wanted));
      EXPECT_EQ(answers[q].token_log_probabilities[i].size(), items[q]["choices"][i]["continuation"].size());
    }
  }
}

TEST(NextSentenceSystem, GivesTheReferenceProbabilities) {
  GUMPTION_NEEDS_SHARED(folder, "golden/bert-next-sentence");
  NextSentenceOptions options;
  options.model.model = folder.string();
  options.model.device = test::test_device();
  NextSentenceSystem system(options);
  const auto items = read_json(folder / "expected.json")["items"];
  ASSERT_FALSE(items.empty());
  for (const auto& item : items) {
    Question question;
    question.id = "q";
    question.context = item["first"];
    question.choices = {item["second"], "something else"};
    const double is_next = item["logits"][0].get<double>();
    const double is_not = item["logits"][1].get<double>();
    const double wanted = is_next - std::log(std::exp(is_next) + std::exp(is_not));
    EXPECT_NEAR(system.answer(std::span(&question, 1)).front().scores.front(), wanted, 1e-5);
  }
}

}  // namespace
}  // namespace gumption
