// Models through the program: `score` and `eval` with the tiny reference checkpoints.

#include <cmath>
#include <fstream>
#include <numeric>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "gumption/base/build_info.h"

#include "support/shell.h"
#include "support/support.h"

namespace gumption {
namespace {

using test::gumption;
using testing::AllOf;
using testing::HasSubstr;
using Json = nlohmann::json;
using Words = std::vector<std::string>;
namespace fs = std::filesystem;

Json read_json(const fs::path& path) {
  std::ifstream file(path);
  return Json::parse(file);
}

std::vector<Json> lines_of(const std::string& text) {
  std::vector<Json> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) rows.push_back(Json::parse(line));
  return rows;
}

Words keys_of(const Json& row) {
  Words keys;
  for (const auto& [key, value] : row.items()) keys.push_back(key);
  return keys;
}

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// The reference questions, which all golden models were asked, in a file, and the folder of one of these models.
class ModelScoring : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_feature("libtorch")) GTEST_SKIP() << "needs -DGUMPTION_WITH_LIBTORCH=ON";
    GUMPTION_NEEDS_SHARED(bert, "golden/bert-multiple-choice");
    bert_ = bert.string();
    reference_ = read_json(bert / "expected.json")["items"];
    data_ = write_questions("q.jsonl", reference_.size());
  }

  std::string row_of(std::size_t number) const {
    Json row = reference_[number]["question"];
    row["id"] = "q" + std::to_string(number);
    return row.dump() + "\n";
  }

  /// The first `count` questions.
  std::string write_questions(const std::string& name, std::size_t count) const {
    std::string rows;
    for (std::size_t i = 0; i < count; ++i) rows += row_of(i);
    return folder_.write(name, rows).string();
  }

  void expect_reference_logits(const std::vector<Json>& rows, double tolerance) const {
    ASSERT_EQ(rows.size(), reference_.size());
    for (std::size_t q = 0; q < rows.size(); ++q) {
      EXPECT_EQ(rows[q]["id"], "q" + std::to_string(q));
      EXPECT_EQ(rows[q]["label"], reference_[q]["question"]["label"]);
      ASSERT_EQ(rows[q]["scores"].size(), reference_[q]["logits"].size());
      for (std::size_t i = 0; i < rows[q]["scores"].size(); ++i) {
        EXPECT_NEAR(rows[q]["scores"][i].get<double>(), reference_[q]["logits"][i].get<double>(), tolerance);
      }
    }
  }

  /// A copy of the BERT that can be spoilt.
  std::string copy_of_bert(const std::string& name) const {
    fs::create_directories(folder_ / name);
    for (const char* file : {"config.json", "model.safetensors", "vocab.txt"}) {
      folder_.write(name + "/" + file, test::read_bytes(fs::path(bert_) / file));
    }
    return (folder_ / name).string();
  }

  test::TemporaryFolder folder_;
  std::string bert_;
  std::string data_;
  Json reference_;
};

TEST_F(ModelScoring, AMultipleChoiceHeadGivesItsLogitsWhateverTheBatch) {
  const Words base = {"score", "--model", bert_, "--data", data_, "--set", "template=social-iqa", "--batch"};
  for (const char* batch : {"1", "7"}) {
    const auto result = gumption(base + Words{batch});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const auto rows = lines_of(result.out);
    expect_reference_logits(rows, 1e-5);
    EXPECT_EQ(keys_of(rows[0]), (Words{"choice", "id", "label", "scores"}));
    EXPECT_EQ(rows[0]["choice"], 0);  // the reference logits are -.18, -.34, -.41
    EXPECT_EQ(rows[3]["choice"], 1);  // .02, .22
  }
}

TEST_F(ModelScoring, Bfloat16IsNearlyTheSame) {
  const auto result =
      gumption({"score", "--model", bert_, "--data", data_, "--set", "template=social-iqa", "--precision", "bfloat16"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  // 8 bits of mantissa: some thousandths at each of a dozen roundings.
  expect_reference_logits(lines_of(result.out), 0.05);
}

TEST_F(ModelScoring, ALanguageModelGivesLikelihoodsAndTheirTokens) {
  GUMPTION_NEEDS_SHARED(gpt2, "golden/gpt2-lm");
  GUMPTION_NEEDS_SHARED(tokenizer, "data/vocab/gpt2");
  const Json reference = read_json(gpt2 / "expected.json")["items"];
  const Words base = {"score", "--model", gpt2, "--tokenizer", tokenizer, "--data", data_};
  const auto plain = gumption(base + Words{"--details"});  // without a method, the head decides
  ASSERT_EQ(plain.exit_code, 0) << plain.err;
  const auto rows = lines_of(plain.out);
  ASSERT_EQ(rows.size(), reference.size());
  EXPECT_EQ(keys_of(rows[0]), (Words{"choice", "id", "label", "scores", "token_log_probabilities"}));
  const auto divided = gumption(base + Words{"--method", "likelihood", "--normalise", "tokens"});
  ASSERT_EQ(divided.exit_code, 0) << divided.err;
  const auto means = lines_of(divided.out);
  for (std::size_t q = 0; q < rows.size(); ++q) {
    for (std::size_t i = 0; i < rows[q]["scores"].size(); ++i) {
      const Json& choice = reference[q]["choices"][i];
      const double wanted = choice["logprob"];
      const auto tokens = rows[q]["token_log_probabilities"][i].get<std::vector<double>>();
      EXPECT_NEAR(rows[q]["scores"][i].get<double>(), wanted, 1e-4 * std::abs(wanted));
      ASSERT_EQ(tokens.size(), choice["continuation"].size());
      EXPECT_NEAR(std::accumulate(tokens.begin(), tokens.end(), 0.0), wanted, 1e-4 * std::abs(wanted));
      EXPECT_NEAR(means[q]["scores"][i].get<double>(), wanted / static_cast<double>(tokens.size()),
                  1e-4 * std::abs(wanted));
    }
    EXPECT_FALSE(means[q].contains("token_log_probabilities"));
  }
}

TEST_F(ModelScoring, TextsThatAreEmptyOrTooLongAreAnsweredAndCounted) {
  GUMPTION_NEEDS_SHARED(model, "golden/bert-next-sentence");
  std::string words;
  for (int i = 0; i < 300; ++i) words += "and so on ";  // the golden models have 256 positions
  const Json empty = {{"id", "empty"}, {"context", ""}, {"question", ""}, {"choices", {"a", "b"}}, {"label", 0}};
  const Json context = {{"id", "long"}, {"context", words}, {"choices", {"a", "b", "c"}}, {"label", 0}};
  const Json choice = {{"id", "choice"}, {"context", "Why?"}, {"choices", {"a", words}}, {"label", 0}};
  const std::string data =
      folder_.write("odd.jsonl", empty.dump() + "\n" + context.dump() + "\n" + choice.dump() + "\n");
  const auto result = gumption({"eval", "--model", model, "--data", data, "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("4 texts were longer than the model (or max_length) takes, and were cut."));
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json["system"], "next-sentence");  // which is what its head is made for
  EXPECT_EQ(json["model"], model.string());
  EXPECT_EQ(json["n"], 3);
  EXPECT_EQ(json["truncated"], 4);  // the long context with each of three choices, and the long choice
}

TEST_F(ModelScoring, WhatDoesNotFitTogetherIsSaid) {
  GUMPTION_NEEDS_SHARED(gpt2, "golden/gpt2-lm");
  GUMPTION_NEEDS_SHARED(large, "data/vocab/gpt2");
  const auto error_of = [&](const Words& arguments, int exit_code) {
    const auto result = gumption(Words{"score", "--data", data_} + arguments);
    EXPECT_EQ(result.exit_code, exit_code) << result.err;
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  EXPECT_THAT(error_of({"--model", bert_, "--system", "bert", "--method", "similarity"}, 2),
              HasSubstr("--method is another word for --system"));
  EXPECT_THAT(error_of({"--model", folder_.path()}, 1), HasSubstr("expected a model"));
  EXPECT_THAT(error_of({"--model", gpt2}, 1), HasSubstr("expected a tokenizer"));
  EXPECT_THAT(error_of({"--model", bert_, "--tokenizer", large}, 1),
              AllOf(HasSubstr("a tokenizer of 30522 tokens"), HasSubstr("one of 50257")));
  const std::string cut = copy_of_bert("cut");
  fs::resize_file(cut + "/model.safetensors", 1'000'000);
  EXPECT_THAT(error_of({"--model", cut}, 1), AllOf(HasSubstr("model.safetensors"), HasSubstr("cut off")));
}

TEST_F(ModelScoring, AMachineWithoutAGpuSaysSo) {
  const auto result = gumption({"score", "--model", bert_, "--data", data_, "--device", "cuda"});
  if (result.exit_code == 0) GTEST_SKIP() << "this machine has a GPU";
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, AllOf(HasSubstr("No GPU"), HasSubstr("--device cpu")));
}

/// A run that ends half-way, because a row of its data is bad; the row is mended without a trace, as if the run had
/// been killed there.
TEST_F(ModelScoring, AKilledRunGoesOnAndAnotherRunDoesNotTakeItOver) {
  const Words base = {"score", "--model", bert_, "--data", data_, "--batch", "2", "--out"};
  const std::string whole = folder_ / "whole.jsonl";
  ASSERT_EQ(gumption(base + Words{whole}).exit_code, 0);

  const std::string good = test::read_bytes(data_);
  const auto time = fs::last_write_time(data_);
  std::string bad = good;
  bad[good.find(row_of(5))] = '!';
  folder_.write("q.jsonl", bad);
  fs::last_write_time(data_, time);
  const std::string out = folder_ / "out.jsonl";
  EXPECT_EQ(gumption(base + Words{out}).exit_code, 1);
  EXPECT_FALSE(fs::exists(out));
  const std::string left = test::read_bytes(out + ".partial");
  EXPECT_EQ(lines_of(left).size(), 5U);  // what run it is, and two batches

  folder_.write("q.jsonl", good);
  fs::last_write_time(data_, time);
  folder_.write("out.jsonl.partial", left + R"({"id":"q4","sco)");  // a kill can cut a line
  const auto resumed = gumption(base + Words{out});
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_THAT(resumed.err, HasSubstr("going on behind 4 questions"));
  EXPECT_EQ(test::read_bytes(out), test::read_bytes(whole));
  EXPECT_FALSE(fs::exists(out + ".partial"));

  // Hours of answers must not go because a flag was mistyped.
  folder_.write("out.jsonl.partial", left);
  const auto other = gumption(base + Words{out, "--set", "no_context=true"});
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.err, HasSubstr("holds answers of a run with other settings"));
  EXPECT_EQ(test::read_bytes(out + ".partial"), left);
  EXPECT_EQ(test::read_bytes(out), test::read_bytes(whole));
}

}  // namespace
}  // namespace gumption
