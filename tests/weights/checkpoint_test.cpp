#include "gumption/weights/checkpoint.h"

#include <filesystem>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "gumption/base/files.h"
#include "gumption/weights/safetensors.h"

#include "support/support.h"
#include "weights/store_support.h"

namespace gumption {
namespace {

using test::complaint_of;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Json = nlohmann::json;
namespace fs = std::filesystem;

fs::path files() { return test::source_folder() / "tests" / "weights" / "files"; }

Json expected_of(const std::string& name) {
  const Json all = Json::parse(test::read_bytes(files() / "expected.json"));
  return all[name].is_string() ? all[all[name].get<std::string>()] : all[name];
}

/// The checkpoint has just the tensors that PyTorch read (make_checkpoints.py), apart from `absent`.
void expect_same(const Checkpoint& checkpoint, const Json& expected, double tolerance = 0) {
  for (const auto& [name, entry] : expected.items()) {
    const StoredTensor* tensor = checkpoint.tensors->find(name);
    ASSERT_NE(tensor, nullptr) << name;
    EXPECT_EQ(Json(tensor->shape), entry["shape"]) << name;
    EXPECT_EQ(name_of(tensor->type), entry["dtype"].get<std::string>()) << name;
    const auto values = test::values_of(*tensor);
    // A double goes through a float on the way.
    EXPECT_NEAR(values.front(), entry["first"].get<double>(), tolerance) << name;
    EXPECT_NEAR(values.back(), entry["last"].get<double>(), tolerance) << name;
    EXPECT_NEAR(std::accumulate(values.begin(), values.end(), 0.0), entry["sum"].get<double>(), 1e-6) << name;
  }
  EXPECT_EQ(checkpoint.tensors->tensors().size(), expected.size());
}

/// A copy of a test's folder that may be changed.
fs::path copied(const std::string& name, const test::TemporaryFolder& folder) {
  fs::copy(files() / name, folder / name, fs::copy_options::recursive);
  return folder / name;
}

TEST(Checkpoint, ReferenceModelsOpenWhole) {
  for (const char* name : {"bert-multiple-choice", "bert-next-sentence", "gpt1-double-heads", "gpt2-lm"}) {
    GUMPTION_NEEDS_SHARED(folder, std::string("golden/") + name);
    const Checkpoint checkpoint = open_checkpoint(folder);
    EXPECT_THAT(checkpoint.missing, IsEmpty()) << name;
    EXPECT_THAT(checkpoint.left_over, IsEmpty()) << name;
    EXPECT_THAT(checkpoint.notes, IsEmpty()) << name;
    EXPECT_TRUE(checkpoint.backbone_complete) << name;
  }
}

class PublishedForms : public testing::TestWithParam<const char*> {};

TEST_P(PublishedForms, GiveWhatPyTorchReads) {
  const std::string name = GetParam();
  const Checkpoint checkpoint = open_checkpoint(files() / name);
  expect_same(checkpoint, expected_of(name), name == "bert-float64" ? 1e-7 : 0);
  EXPECT_THAT(checkpoint.left_over, IsEmpty());
  EXPECT_THAT(checkpoint.notes, IsEmpty());
  EXPECT_TRUE(checkpoint.backbone_complete);
  if (name == "gpt1-npy") {  // the backbone's values only, and a config of the class with two heads
    EXPECT_THAT(checkpoint.missing,
                ElementsAre("multiple_choice_head.summary.weight", "multiple_choice_head.summary.bias"));
  } else {
    EXPECT_THAT(checkpoint.missing, IsEmpty());
  }
}

INSTANTIATE_TEST_SUITE_P(All, PublishedForms,
                         testing::Values("bert-zip", "bert-legacy", "bert-parallel", "bert-parallel-legacy",
                                         "bert-strided", "bert-decoder", "bert-plain", "bert-sharded",
                                         "bert-sharded-bin", "bert-float32", "bert-float16", "bert-bfloat16",
                                         "bert-float64", "gpt2-bare", "gpt1", "gpt1-npy"));

TEST(Checkpoint, FilesAreMappedNotCopied) {
  const auto store = open_safetensors(files() / "bert-float32" / "model.safetensors");
  const auto& tensors = store->tensors();
  // All lie in one mapping, whose end is within the file's size of its start.
  const auto [first, last] = std::minmax_element(
      tensors.begin(), tensors.end(), [](const auto& a, const auto& b) { return a.bytes.data() < b.bytes.data(); });
  EXPECT_LT(last->bytes.data() - first->bytes.data(),
            static_cast<std::ptrdiff_t>(fs::file_size(files() / "bert-float32" / "model.safetensors")));
}

TEST(Checkpoint, TiedMatricesShareTheirBytes) {
  const auto store = open_pytorch_bin(files() / "bert-zip" / "pytorch_model.bin");
  EXPECT_EQ(store->find("bert.embeddings.word_embeddings.weight")->bytes.data(),
            store->find("cls.predictions.decoder.weight")->bytes.data());
  const Checkpoint checkpoint = open_checkpoint(files() / "bert-zip");
  EXPECT_EQ(checkpoint.tensors->find("cls.predictions.decoder.weight"), nullptr);
}

TEST(Checkpoint, HeadsAreTold) {
  const Checkpoint pretraining = open_checkpoint(files() / "bert-zip");
  EXPECT_TRUE(pretraining.heads.pooler && pretraining.heads.masked_lm && pretraining.heads.next_sentence);
  EXPECT_FALSE(pretraining.heads.multiple_choice || pretraining.heads.language_model);
  const Checkpoint choice = open_checkpoint(files() / "bert-float16");
  EXPECT_TRUE(choice.heads.pooler && choice.heads.multiple_choice);
  EXPECT_FALSE(choice.heads.masked_lm || choice.heads.next_sentence);
  EXPECT_EQ(precision_of(choice), ElementType::kFloat16);
  const Checkpoint gpt1 = open_checkpoint(files() / "gpt1");
  EXPECT_TRUE(gpt1.heads.language_model && gpt1.heads.multiple_choice);
  EXPECT_EQ(gpt1.config.activation, Activation::kGeluTanh);
}

TEST(Checkpoint, ParametersAreCountedByPart) {
  const auto parts = count_parameters(open_checkpoint(files() / "bert-zip"));
  // Width 4, inner 6, 2 layers, 11 + 5 + 2 embeddings.
  const std::int64_t layer = 4 * (4 * 4 + 4) + 2 * 4 + (4 * 6 + 6) + (6 * 4 + 4) + 2 * 4;
  ASSERT_EQ(parts.size(), 5U);
  EXPECT_EQ(parts[0].parameters, (11 + 5 + 2) * 4 + 2 * 4);
  EXPECT_EQ(parts[1].parameters, 2 * layer);
  EXPECT_EQ(parts[2].part, "pooler");
  EXPECT_EQ(parts[2].parameters, 4 * 4 + 4);
  EXPECT_EQ(parts[3].parameters, 4 * 4 + 4 + 2 * 4 + 11);
  EXPECT_EQ(parts[4].parameters, 2 * 4 + 2);
}

TEST(Checkpoint, ConfigsThatDisagreeAreNamedTensorByTensor) {
  const test::TemporaryFolder folder;
  const fs::path copy = copied("bert-plain", folder);
  Json config = Json::parse(test::read_bytes(copy / "config.json"));
  config["vocab_size"] = 12;
  config["intermediate_size"] = 8;
  write_file(copy / "config.json", config.dump());
  EXPECT_THAT(complaint_of([&] { open_checkpoint(copy); }),
              AllOf(HasSubstr("model.safetensors"),
                    HasSubstr("bert.embeddings.word_embeddings.weight should be [12, 4] and is [11, 4]"),
                    HasSubstr("bert.encoder.layer.0.intermediate.dense.bias should be [8] and is [6]")));
}

TEST(Checkpoint, MissingAndLeftOverAreListed) {
  const test::TemporaryFolder folder;
  const fs::path copy = copied("bert-plain", folder);
  Json config = Json::parse(test::read_bytes(copy / "config.json"));
  config["num_hidden_layers"] = 3;
  write_file(copy / "config.json", config.dump());
  Checkpoint checkpoint = open_checkpoint(copy);
  EXPECT_EQ(checkpoint.missing.size(), 16U);  // a layer
  EXPECT_FALSE(checkpoint.backbone_complete);
  EXPECT_THAT(complaint_of([&] { require_backbone(checkpoint); }), HasSubstr("16 tensors missing"));
  config["num_hidden_layers"] = 1;
  write_file(copy / "config.json", config.dump());
  checkpoint = open_checkpoint(copy);
  EXPECT_THAT(checkpoint.missing, IsEmpty());
  EXPECT_EQ(checkpoint.left_over.size(), 16U);
  EXPECT_EQ(checkpoint.left_over.front(), "bert.encoder.layer.1.attention.output.LayerNorm.bias");
}

/// A GPT-2 whose output matrix is not its embedding.
fs::path untied(const test::TemporaryFolder& folder, bool tied) {
  const Checkpoint source = open_checkpoint(files() / "gpt2-bare");
  auto tensors = source.tensors->tensors();
  StoredTensor output = *source.tensors->find("transformer.wte.weight");
  const std::string zeros(output.bytes.size(), '\0');
  output.name = "lm_head.weight";
  output.bytes = zeros;
  tensors.push_back(output);
  ModelConfig config = source.config;
  config.tied = tied;
  const fs::path path = folder / (tied ? "tied" : "untied");
  write_checkpoint(path, {config, tensors, std::nullopt, {}, {}});
  return path;
}

TEST(Checkpoint, AnOutputMatrixThatDiffersIsSaid) {
  const test::TemporaryFolder folder;
  const Checkpoint tied = open_checkpoint(untied(folder, true));
  EXPECT_THAT(tied.notes, ElementsAre(HasSubstr("lm_head.weight differs from transformer.wte.weight")));
  EXPECT_THAT(tied.left_over, ElementsAre("lm_head.weight"));
  EXPECT_EQ(tied.tensors->find("lm_head.weight"), nullptr);
  const Checkpoint own = open_checkpoint(untied(folder, false));
  EXPECT_THAT(own.notes, IsEmpty());
  EXPECT_NE(own.tensors->find("lm_head.weight"), nullptr);
  EXPECT_TRUE(own.heads.language_model);
}

TEST(Checkpoint, AClassifierOfSeveralClassesIsNoMultipleChoiceHead) {
  const test::TemporaryFolder folder;
  const Checkpoint source = open_checkpoint(files() / "bert-plain");
  auto tensors = source.tensors->tensors();
  const std::string zeros(3 * 4 * 4, '\0');
  tensors.push_back({"classifier.weight", ElementType::kFloat32, {3, 4}, zeros});
  tensors.push_back({"classifier.bias", ElementType::kFloat32, {3}, std::string_view(zeros).substr(0, 12)});
  write_checkpoint(folder / "m", {source.config, tensors, std::nullopt, {}, {}});
  const Checkpoint checkpoint = open_checkpoint(folder / "m");
  EXPECT_FALSE(checkpoint.heads.multiple_choice);
  EXPECT_THAT(checkpoint.left_over, ElementsAre("classifier.bias", "classifier.weight"));
  EXPECT_THAT(checkpoint.notes, ElementsAre(HasSubstr("[3, 4]")));
}

TEST(Checkpoint, TwoNamesForOneTensorMustAgree) {
  const test::TemporaryFolder folder;
  const Checkpoint source = open_checkpoint(files() / "bert-plain");
  auto tensors = source.tensors->tensors();
  const std::string zeros(4 * 4, '\0');
  tensors.push_back({"embeddings.LayerNorm.gamma", ElementType::kFloat32, {4}, zeros});
  write_checkpoint(folder / "m", {source.config, tensors, std::nullopt, {}, {}});
  EXPECT_THAT(complaint_of([&] { open_checkpoint(folder / "m"); }),
              AllOf(HasSubstr("one tensor for bert.embeddings.LayerNorm.weight"), HasSubstr("differ")));
}

TEST(Checkpoint, FoldersWithoutAModelAreRefused) {
  const test::TemporaryFolder folder;
  EXPECT_THAT(complaint_of([&] { open_checkpoint(folder / "no"); }), HasSubstr("found nothing"));
  EXPECT_THAT(complaint_of([&] { open_checkpoint(folder.path()); }), HasSubstr("none of them"));
  folder.write("config.json", "{}");
  EXPECT_THAT(complaint_of([&] { open_checkpoint(folder.path()); }), HasSubstr("config.json without weights"));
  const fs::path file = folder.write("file", "");
  EXPECT_THAT(complaint_of([&] { open_checkpoint(file); }), HasSubstr("Name the folder"));
  const fs::path copy = copied("bert-plain", folder);
  fs::remove(copy / "config.json");
  EXPECT_THAT(complaint_of([&] { open_checkpoint(copy); }), HasSubstr("expected config.json"));
}

TEST(CheckpointWriter, WhatIsWrittenReadsBackTheSame) {
  for (const char* name : {"bert-zip", "bert-bfloat16", "gpt2-bare", "gpt1"}) {
    const test::TemporaryFolder folder;
    const Checkpoint source = open_checkpoint(files() / name);
    write_checkpoint(folder / "new", {source.config, source.tensors->tensors(), std::nullopt, {}, "{}"});
    const Checkpoint read = open_checkpoint(folder / "new");
    EXPECT_EQ(read.format, "safetensors");
    expect_same(read, expected_of(name));
    EXPECT_THAT(read.missing, IsEmpty());
    EXPECT_THAT(read.left_over, IsEmpty());
    EXPECT_EQ(test::read_bytes(folder / "new/gumption.json"), "{}");
    EXPECT_THAT(complaint_of([&] {
                  write_checkpoint(folder / "new", {source.config, {}, std::nullopt, {}, {}});
                }),
                HasSubstr("is there already"));
  }
}

TEST(CheckpointWriter, OtherKeysOfTheConfigAreKept) {
  const test::TemporaryFolder folder;
  Checkpoint source = open_checkpoint(files() / "bert-float32");
  Json original = Json::parse(source.config.original);
  original["my_own_key"] = {1, 2};
  source.config.original = original.dump();
  source.config.classes.clear();
  source.config.vocabulary = 11;
  write_checkpoint(folder / "new", {source.config, source.tensors->tensors(), ElementType::kBfloat16, {}, {}});
  const Json written = Json::parse(test::read_bytes(folder / "new/config.json"));
  EXPECT_EQ(written["my_own_key"], Json({1, 2}));
  EXPECT_EQ(written["architectures"], Json({"BertForMultipleChoice"}));
  EXPECT_EQ(written["dtype"], "bfloat16");
  EXPECT_EQ(written["layer_norm_eps"], 1e-12);
  expect_same(open_checkpoint(folder / "new"), expected_of("bert-bfloat16"));
}

}  // namespace
}  // namespace gumption
