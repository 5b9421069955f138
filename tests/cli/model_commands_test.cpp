#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/shell.h"
#include "support/support.h"

namespace gumption {
namespace {

using test::gumption;
using testing::AllOf;
using testing::HasSubstr;
using Json = nlohmann::json;
namespace fs = std::filesystem;

std::string model(const std::string& name) { return test::source_folder() / "tests/weights/files" / name; }

TEST(ModelCommands, InfoSaysWhatAModelIs) {
  const auto plain = gumption({"model", "info", model("bert-float16")});
  ASSERT_EQ(plain.exit_code, 0) << plain.err;
  EXPECT_THAT(plain.out,
              AllOf(HasSubstr("BERT, 2 layers of 4, 2 heads"), HasSubstr("safetensors, float16"),
                    HasSubstr("pooler, multiple_choice"), HasSubstr("masked_lm, next_sentence"), HasSubstr("none in")));
  const Json json = Json::parse(gumption({"model", "info", model("gpt1-npy"), "--json"}).out);
  EXPECT_EQ(json["architecture"], "GPT-1");
  EXPECT_EQ(json["format"], "openai-npy");
  EXPECT_EQ(json["heads"], Json({{"language_model", true}, {"multiple_choice", false}}));
  EXPECT_EQ(json["missing"].size(), 2U);
  EXPECT_EQ(json["left_over"], Json::array());
  EXPECT_EQ(json["parts"]["embeddings"], (13 + 5) * 4);
  EXPECT_TRUE(json["tokenizer"].is_null());
}

TEST(ModelCommands, InfoComparesTheTokenizer) {
  const test::TemporaryFolder folder;
  fs::copy(model("bert-plain"), folder / "m", fs::copy_options::recursive);
  std::string vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";
  const auto fit = [&](int words) {
    std::string text = vocabulary;
    for (int i = 0; i < words; ++i) text += "w" + std::to_string(i) + "\n";
    folder.write("m/vocab.txt", text);
    return Json::parse(gumption({"model", "info", folder / "m", "--json"}).out)["tokenizer"];
  };
  EXPECT_EQ(fit(6), Json({{"kind", "wordpiece"}, {"entries", 11}, {"fits", true}}));
  EXPECT_EQ(fit(2)["fits"], true);
  EXPECT_EQ(fit(7)["fits"], false);
  EXPECT_THAT(fit(7)["problem"], HasSubstr("12 entries and the model only 11 rows"));
  folder.write("m/vocab.txt", "a\na\n");
  EXPECT_THAT(gumption({"model", "info", folder / "m"}).out, HasSubstr("vocab.txt"));
}

TEST(ModelCommands, ConvertWritesAHuggingFaceFolder) {
  const test::TemporaryFolder folder;
  fs::copy(model("gpt1-npy"), folder / "in", fs::copy_options::recursive);
  folder.write("in/encoder_bpe_40000.json", R"({"<unk>":0,"a":1,"b</w>":2,"ab</w>":3})");
  folder.write("in/vocab_40000.bpe", "#version: 0.2\na b</w>\n");
  const std::string out = folder / "out";
  const auto converted = gumption({"model", "convert", folder / "in", "--out", out, "--precision", "bfloat16"});
  ASSERT_EQ(converted.exit_code, 0) << converted.err;
  EXPECT_THAT(converted.out, HasSubstr("a GPT-1 of 26 tensors, read as openai-npy, written in bfloat16."));
  for (const char* name : {"config.json", "model.safetensors", "vocab.json", "merges.txt", "gumption.json"}) {
    EXPECT_TRUE(fs::exists(folder / (std::string("out/") + name))) << name;
  }
  const Json json = Json::parse(gumption({"model", "info", out, "--json"}).out);
  EXPECT_EQ(json["precision"], "bfloat16");
  EXPECT_EQ(json["tokenizer"]["kind"], "gpt-1 bpe");
  EXPECT_EQ(json["provenance"]["source"]["format"], "openai-npy");
  const auto again = gumption({"model", "convert", folder / "in", "--out", out});
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_THAT(again.err, HasSubstr("is there already"));
}

TEST(ModelCommands, ACasedVocabularyStaysCased) {
  const test::TemporaryFolder folder;
  fs::copy(model("bert-plain"), folder / "m", fs::copy_options::recursive);
  const auto lower_case = [&](const std::string& word, const std::string& out) {
    folder.write("m/vocab.txt", "[PAD]\n[UNK]\n" + word + "\n");
    EXPECT_EQ(gumption({"model", "convert", folder / "m", "--out", folder / out}).exit_code, 0);
    return Json::parse(test::read_bytes(folder / (out + "/tokenizer_config.json")))["do_lower_case"];
  };
  EXPECT_EQ(lower_case("The", "cased"), false);
  EXPECT_EQ(lower_case("the", "uncased"), true);
}

TEST(ModelCommands, MistakesAreSaid) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(gumption({"model", "convert", model("bert-plain")}).exit_code, 2);
  const auto missing = gumption({"model", "info", folder / "no"});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_THAT(missing.err, HasSubstr("expected a model's folder, found nothing"));
  fs::copy(model("bert-plain"), folder / "m", fs::copy_options::recursive);
  folder.write("m/model.safetensors", "short");
  EXPECT_THAT(gumption({"model", "info", folder / "m"}).err, HasSubstr("fewer than 8 bytes"));
  EXPECT_EQ(gumption({"model", "convert", folder / "m", "--out", folder / "new"}).exit_code, 1);
  EXPECT_FALSE(fs::exists(folder / "new"));
}

}  // namespace
}  // namespace gumption
