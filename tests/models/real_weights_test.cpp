// The published checkpoints, pulled, converted and loaded, against Hugging Face's transformers.

#include <fstream>

#include <c10/core/InferenceMode.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "gumption/models/bert_systems.h"

#include "support/support.h"

namespace gumption {
namespace {

nlohmann::json read_json(const std::filesystem::path& path) {
  std::ifstream file(path);
  return nlohmann::json::parse(file);
}

TEST(RealWeights, MiniLmSentenceVectorsAndCosines) {
  GUMPTION_NEEDS_SHARED(reference, "golden/real/all-MiniLM-L6-v2.json");
  GUMPTION_NEEDS_MODEL(folder, "all-MiniLM-L6-v2");
  const auto expected = read_json(reference);
  const auto texts = expected["sentences"].get<std::vector<std::string>>();
  SimilarityOptions options;
  options.model.model = folder.string();
  options.model.device = test::test_device();
  SimilaritySystem system(options);
  const c10::InferenceMode no_gradients;
  const at::Tensor vectors = system.vectors_of(texts);
  const at::Tensor cosines = vectors.mm(vectors.t());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i);
    for (std::int64_t k = 0; k < 8; ++k) {
      EXPECT_NEAR(vectors[row][k].item<double>(),
                  expected["embedding_first8"][i][static_cast<std::size_t>(k)].get<double>(), 1e-4);
    }
    for (std::size_t k = 0; k < texts.size(); ++k) {
      EXPECT_NEAR(cosines[row][static_cast<std::int64_t>(k)].item<double>(), expected["cosine"][i][k].get<double>(),
                  1e-4);
    }
  }
}

TEST(RealWeights, BertMaskedLikelihoods) {
  GUMPTION_NEEDS_SHARED(reference, "golden/real/bert-base-uncased.json");
  GUMPTION_NEEDS_MODEL(folder, "bert-base-uncased");
  const auto expected = read_json(reference)["masked_likelihood"];
  MaskedLmOptions options;
  options.model.model = folder.string();
  options.model.device = test::test_device();
  MaskedLmSystem system(options);
  std::vector<Question> questions;
  for (const auto& item : expected["items"]) {
    Question question;
    question.id = item["id"];
    question.context = item["context"];
    question.choices = item["choices"].get<std::vector<std::string>>();
    questions.push_back(std::move(question));
  }
  const auto answers = system.answer(questions);
  for (std::size_t q = 0; q < answers.size(); ++q) {
    for (std::size_t i = 0; i < answers[q].scores.size(); ++i) {
      EXPECT_NEAR(answers[q].scores[i], expected["items"][q]["scores"][i].get<double>(), 1e-3);
    }
  }
}

TEST(RealWeights, BertPooledVectors) {
  GUMPTION_NEEDS_SHARED(reference, "golden/real/bert-base-uncased.json");
  GUMPTION_NEEDS_MODEL(folder, "bert-base-uncased");
  const auto expected = read_json(reference)["multiple_choice_encoder"];
  ModelOptions options;
  options.model = folder.string();
  options.device = test::test_device();
  BertRunner runner(open_model(options, {Architecture::kBert}), {.pooler = true});
  for (const auto& item : expected) {
    const QuestionTokens tokens = {runner.encode(item["context"].get<std::string>()),
                                   runner.encode(item["question"].get<std::string>())};
    const TokenSequence sequence = bert_sequence(BertForm::kSocialIqa, runner.special(), tokens,
                                                 runner.encode(item["answer"].get<std::string>()), runner.max_length());
    runner.run(std::span(&sequence, 1), [&](Items, const at::Tensor& states, const at::Tensor& rows) {
      const at::Tensor pooled = runner.bert().pool(states, rows);
      for (std::int64_t k = 0; k < 8; ++k) {
        const auto at = static_cast<std::size_t>(k);
        EXPECT_NEAR(pooled[0][k].item<double>(), item["pooled_first8"][at].get<double>(), 1e-4);
        EXPECT_NEAR(states[0][k].item<double>(), item["last_hidden_cls_first8"][at].get<double>(), 1e-4);
      }
    });
  }
}

}  // namespace
}  // namespace gumption
