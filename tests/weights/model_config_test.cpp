#include "gumption/weights/model_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "weights/store_support.h"

namespace gumption {
namespace {

using test::complaint_of;
using testing::HasSubstr;
using Json = nlohmann::json;

// Google's bert_config.json for BERT-base, uncased, as it was released.
constexpr const char* kGoogle = R"({
  "attention_probs_dropout_prob": 0.1, "hidden_act": "gelu", "hidden_dropout_prob": 0.1, "hidden_size": 768,
  "initializer_range": 0.02, "intermediate_size": 3072, "max_position_embeddings": 512, "num_attention_heads": 12,
  "num_hidden_layers": 12, "type_vocab_size": 2, "vocab_size": 30522})";

// The hub's first config of gpt2-medium, without a type.
constexpr const char* kGpt2 = R"({"attn_pdrop": 0.1, "embd_pdrop": 0.1, "initializer_range": 0.02,
  "layer_norm_epsilon": 1e-05, "n_ctx": 1024, "n_embd": 1024, "n_head": 16, "n_layer": 24, "n_positions": 1024,
  "n_special": 0, "predict_special_tokens": true, "resid_pdrop": 0.1, "vocab_size": 50257})";

std::string changed(const char* text, const char* key, const Json& value) {
  Json config = Json::parse(text);
  config[key] = value;
  return config.dump();
}

std::string complaint(const std::string& text) {
  return complaint_of([&] { parse_config(text, "c.json"); });
}

TEST(ModelConfig, GooglesBert) {
  const ModelConfig config = parse_config(kGoogle, "c.json");
  EXPECT_EQ(config.architecture, Architecture::kBert);
  EXPECT_EQ(config.inner, 3072);
  EXPECT_EQ(config.activation, Activation::kGeluExact);
  EXPECT_EQ(config.layer_norm_epsilon, 1e-12);
  EXPECT_EQ(config.dropout.classifier, 0.1);
}

TEST(ModelConfig, Gpt2WithoutAType) {
  const ModelConfig config = parse_config(kGpt2, "c.json");
  EXPECT_EQ(config.architecture, Architecture::kGpt2);
  EXPECT_EQ(config.inner, 4096);
  EXPECT_EQ(config.activation, Activation::kGeluTanh);
}

TEST(ModelConfig, Gpt1sGeluIsTheTanhForm) {
  const ModelConfig config = parse_config(changed(kGpt2, "afn", "gelu"), "c.json");
  EXPECT_EQ(config.architecture, Architecture::kGpt1);
  EXPECT_EQ(config.activation, Activation::kGeluTanh);
  EXPECT_EQ(Json::parse(to_config_json(config, ElementType::kFloat32))["afn"], "gelu");
}

TEST(ModelConfig, OpenAisParameters) {
  const ModelConfig config =
      parse_config(R"({"n_vocab": 50257, "n_ctx": 1024, "n_embd": 768, "n_head": 12, "n_layer": 12})", "hparams.json");
  EXPECT_EQ(config.architecture, Architecture::kGpt2);
  EXPECT_EQ(config.positions, 1024);
  EXPECT_EQ(config.vocabulary, 50257);
}

TEST(ModelConfig, WrittenConfigsReadBackTheSame) {
  ModelConfig config = parse_config(changed(kGoogle, "classifier_dropout", 0.3), "c.json");
  config.classes = {"BertModel"};
  const Json json = Json::parse(to_config_json(config, ElementType::kFloat16));
  EXPECT_EQ(json["model_type"], "bert");
  EXPECT_EQ(json["torch_dtype"], "float16");
  const ModelConfig again = parse_config(json.dump(), "c.json");
  EXPECT_EQ(again.dropout.classifier, 0.3);
  EXPECT_EQ(again.classes, config.classes);
  EXPECT_EQ(again.heads, 12);
}

TEST(ModelConfig, OtherModelsAndVariantsAreRefused) {
  EXPECT_THAT(complaint("[]"), HasSubstr("a JSON object"));
  EXPECT_THAT(complaint("{\"vocab_size\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}"),
              HasSubstr("a JSON object"));
  EXPECT_THAT(complaint("{}"), HasSubstr("config of a BERT"));
  EXPECT_THAT(complaint(changed(kGoogle, "model_type", "roberta")), HasSubstr("\"roberta\""));
  EXPECT_THAT(complaint(changed(kGoogle, "position_embedding_type", "relative_key")), HasSubstr("absolute"));
  EXPECT_THAT(complaint(changed(kGoogle, "hidden_act", "mish")), HasSubstr("\"mish\""));
  EXPECT_THAT(complaint(changed(kGoogle, "is_decoder", true)), HasSubstr("an encoder"));
  EXPECT_THAT(complaint(changed(kGpt2, "scale_attn_weights", false)), HasSubstr("scaled attention"));
  EXPECT_THAT(complaint(changed(kGpt2, "scale_attn_by_inverse_layer_idx", true)), HasSubstr("inverse_layer"));
}

TEST(ModelConfig, NumbersThatMakeNoSenseAreRefused) {
  EXPECT_THAT(complaint(changed(kGoogle, "hidden_size", nullptr)), HasSubstr("config of a BERT"));
  EXPECT_THAT(complaint(changed(kGoogle, "vocab_size", nullptr)), HasSubstr("\"vocab_size\""));
  EXPECT_THAT(complaint(changed(kGoogle, "num_hidden_layers", 0)), HasSubstr("whole number from 1"));
  EXPECT_THAT(complaint(changed(kGoogle, "num_hidden_layers", 2'000'000'000)), HasSubstr("at most"));
  EXPECT_THAT(complaint(changed(kGoogle, "vocab_size", ~std::uint64_t{0})), HasSubstr("whole number"));
  EXPECT_THAT(complaint(changed(kGoogle, "vocab_size", 1.5)), HasSubstr("whole number"));
  EXPECT_THAT(complaint(changed(kGoogle, "num_attention_heads", 7)), HasSubstr("7 heads divide"));
  EXPECT_THAT(complaint(changed(kGoogle, "hidden_dropout_prob", 2)), HasSubstr("from 0 to 1"));
}

}  // namespace
}  // namespace gumption
