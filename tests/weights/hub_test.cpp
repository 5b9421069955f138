#include "gumption/weights/hub.h"

#include <cstdlib>
#include <map>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "gumption/base/checksum.h"
#include "gumption/base/error.h"
#include "gumption/weights/package_client.h"

#include "support/http_server.h"
#include "support/support.h"

namespace gumption {
namespace {

namespace fs = std::filesystem;
using test::HttpReply;
using test::HttpRequest;
using test::HttpServer;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kCommit = "0123456789abcdef0123456789abcdef01234567";

HttpReply plain_reply(int status, std::map<std::string, std::string> headers = {}, std::string body = {}) {
  return {status, std::move(headers), std::move(body), std::string::npos, std::string::npos};
}

/// The hub as its documentation and its own client's requests describe it: an API that lists files, addresses that
/// serve small files and redirect large ones to a storage server elsewhere.
class FakeHub {
 public:
  FakeHub()
      : storage_([this](const HttpRequest& request) { return serve_storage(request); }),
        hub_([this](const HttpRequest& request) { return serve_hub(request); }) {}

  void add_small(const std::string& name, const std::string& bytes) { small_[name] = bytes; }
  void add_large(const std::string& name, const std::string& bytes) { large_[name] = bytes; }

  HubOptions options() const {
    HubOptions options;
    options.endpoint = hub_.address();
    options.first_wait_seconds = 0.01;
    return options;
  }

  const HttpServer& storage() const { return storage_; }
  const HttpServer& hub() const { return hub_; }

  bool has_api = true;
  std::function<std::optional<HttpReply>(const HttpRequest&)> hub_instead;
  std::function<std::optional<HttpReply>(const HttpRequest&, HttpReply)> storage_instead;

 private:
  std::string sum_of(const std::string& bytes) const { return sha256_of_file(scratch_.write("sum", bytes)); }
  std::string blob_of(const std::string& bytes) const { return git_blob_of_file(scratch_.write("blob", bytes)); }

  HttpReply listing() const {
    nlohmann::json json;
    json["sha"] = kCommit;
    json["cardData"]["license"] = "apache-2.0";
    for (const auto& [name, bytes] : small_) {
      json["siblings"].push_back({{"rfilename", name}, {"size", bytes.size()}, {"blobId", blob_of(bytes)}});
    }
    for (const auto& [name, bytes] : large_) {
      json["siblings"].push_back({{"rfilename", name},
                                  {"size", bytes.size()},
                                  {"blobId", std::string(40, 'e')},
                                  {"lfs", {{"sha256", sum_of(bytes)}, {"size", bytes.size()}, {"pointerSize", 134}}}});
    }
    return plain_reply(200, {{"Content-Type", "application/json"}}, json.dump());
  }

  HttpReply serve_hub(const HttpRequest& request) {
    if (hub_instead) {
      if (const auto reply = hub_instead(request)) return *reply;
    }
    if (request.path.starts_with("/api/")) return has_api ? listing() : plain_reply(404);
    const std::string name = request.path.substr(request.path.rfind('/') + 1);
    if (const auto found = large_.find(name); found != large_.end()) {
      return plain_reply(302, {{"Location", storage_.address() + "/signed/" + name},
                               {"X-Linked-ETag", "\"" + sum_of(found->second) + "\""},
                               {"X-Linked-Size", std::to_string(found->second.size())},
                               {"ETag", "\"" + std::string(40, 'e') + "\""},
                               {"X-Repo-Commit", kCommit}});
    }
    const auto found = small_.find(name);
    if (found == small_.end()) return plain_reply(404, {{"X-Error-Code", "EntryNotFound"}});
    HttpReply reply = test::serve_bytes(request, found->second);
    reply.headers["ETag"] = "\"" + blob_of(found->second) + "\"";
    reply.headers["X-Repo-Commit"] = kCommit;
    return reply;
  }

  HttpReply serve_storage(const HttpRequest& request) {
    const auto found = large_.find(request.path.substr(request.path.rfind('/') + 1));
    if (found == large_.end()) return plain_reply(404);
    HttpReply reply = test::serve_bytes(request, found->second);
    if (storage_instead) {
      if (const auto instead = storage_instead(request, reply)) return *instead;
    }
    return reply;
  }

  std::map<std::string, std::string> small_;
  std::map<std::string, std::string> large_;
  test::TemporaryFolder scratch_;
  HttpServer storage_;
  HttpServer hub_;
};

class Hub : public testing::Test {
 protected:
  Hub() {
    for (int i = 0; i < 20'000; ++i) weights_ += "weight " + std::to_string(i) + "\n";
    server_.add_small("config.json", "{\"model_type\": \"bert\"}");
    server_.add_small("vocab.txt", "[PAD]\n[UNK]\n");
    server_.add_small("README.md", "Not wanted.");
    server_.add_small("tf_model.h5", "Not wanted.");
  }

  void get(const std::string& revision = "main") {
    download_from_hub(find_on_hub("me/tiny", revision, server_.options()), folder_.path(), server_.options());
  }

  std::string message(const std::string& revision = "main") {
    try {
      get(revision);
    } catch (const SourceUnreached& error) {
      return std::string("unreached: ") + error.what();
    } catch (const UserError& error) {
      return error.what();
    }
    return "no UserError";
  }

  static std::vector<std::string> names_of(const HubModel& model) {
    std::vector<std::string> names;
    for (const HubFile& file : model.files) names.push_back(file.name);
    return names;
  }

  FakeHub server_;
  test::TemporaryFolder folder_;
  std::string weights_;
};

TEST_F(Hub, GetsConfigWeightsAndTokenizer) {
  server_.add_large("model.safetensors", weights_);
  server_.add_large("pytorch_model.bin", "the same, older");
  const HubModel model = find_on_hub("me/tiny", "main", server_.options());
  EXPECT_EQ(model.revision, kCommit);
  EXPECT_EQ(model.licence, "apache-2.0");
  EXPECT_THAT(names_of(model), ElementsAre("config.json", "model.safetensors", "vocab.txt"));
  get();
  EXPECT_EQ(test::read_bytes(folder_ / "model.safetensors"), weights_);
  EXPECT_EQ(test::read_bytes(folder_ / "vocab.txt"), "[PAD]\n[UNK]\n");
  EXPECT_EQ(server_.hub().requests().back().path, std::string("/me/tiny/resolve/") + kCommit + "/vocab.txt");
}

TEST_F(Hub, WorksWithoutTheApi) {
  server_.has_api = false;
  server_.add_large("model.safetensors", weights_);
  const HubModel model = find_on_hub("me/tiny", "main", server_.options());
  EXPECT_EQ(model.revision, kCommit);
  EXPECT_THAT(names_of(model), ElementsAre("config.json", "model.safetensors", "vocab.txt"));
  EXPECT_EQ(model.files[1].size, weights_.size());
  EXPECT_EQ(model.files[1].sha256.size(), 64U);
  EXPECT_EQ(model.files[0].git_blob.size(), 40U);
  get();
  EXPECT_EQ(test::read_bytes(folder_ / "model.safetensors"), weights_);
}

TEST_F(Hub, FollowsAModelThatWasRenamed) {
  server_.add_large("model.safetensors", weights_);
  server_.has_api = false;
  server_.hub_instead = [](const HttpRequest& request) -> std::optional<HttpReply> {
    if (!request.path.starts_with("/me/tiny/")) return std::nullopt;
    return plain_reply(307, {{"Location", "/us" + request.path}});
  };
  get();
  EXPECT_EQ(test::read_bytes(folder_ / "model.safetensors"), weights_);
}

TEST_F(Hub, ContinuesAfterABrokenTransfer) {
  server_.add_large("model.safetensors", weights_);
  int times = 0;
  server_.storage_instead = [&](const HttpRequest&, HttpReply reply) -> std::optional<HttpReply> {
    if (++times == 1) reply.cut_after = 50'000;
    return reply;
  };
  get();
  EXPECT_EQ(test::read_bytes(folder_ / "model.safetensors"), weights_);
  EXPECT_EQ(server_.storage().requests().at(1).headers.at("range"), "bytes=50000-");
}

TEST_F(Hub, ContinuesWhatAnEarlierCallLeft) {
  server_.add_large("model.safetensors", weights_);
  server_.storage_instead = [&](const HttpRequest&, HttpReply reply) -> std::optional<HttpReply> {
    reply.cut_after = 1000;
    return reply;
  };
  EXPECT_THAT(message(), HasSubstr("unreached: "));
  EXPECT_FALSE(fs::exists(folder_ / "model.safetensors"));
  server_.storage_instead = nullptr;
  get();
  EXPECT_EQ(test::read_bytes(folder_ / "model.safetensors"), weights_);
  EXPECT_EQ(server_.storage().requests().back().headers.at("range"), "bytes=4000-");  // four attempts, 1000 bytes each
  const std::size_t asked = server_.storage().requests().size();
  get();
  EXPECT_EQ(server_.storage().requests().size(), asked);
}

TEST_F(Hub, RefusesAWrongSum) {
  server_.add_large("model.safetensors", weights_);
  server_.storage_instead = [&](const HttpRequest&, HttpReply reply) -> std::optional<HttpReply> {
    reply.body[100] = '#';
    return reply;
  };
  EXPECT_THAT(message(), testing::AllOf(HasSubstr("expected SHA-256"), HasSubstr("model.safetensors")));
  EXPECT_FALSE(fs::exists(folder_ / "model.safetensors"));
  EXPECT_FALSE(fs::exists(folder_ / "model.safetensors.part"));
}

TEST_F(Hub, RefusesAShortFile) {
  server_.add_large("model.safetensors", weights_);
  server_.storage_instead = [&](const HttpRequest&, HttpReply reply) -> std::optional<HttpReply> {
    reply.body.resize(10'000);  // and the length that is promised with it
    return reply;
  };
  EXPECT_THAT(message(), HasSubstr("found 10000"));
  EXPECT_FALSE(fs::exists(folder_ / "model.safetensors"));
}

TEST_F(Hub, RefusesASmallFileThatChanged) {
  server_.add_large("model.safetensors", weights_);
  server_.hub_instead = [](const HttpRequest& request) -> std::optional<HttpReply> {
    if (!request.path.ends_with("config.json")) return std::nullopt;
    return plain_reply(200, {}, "{\"model_type\": \"BERT\"}");
  };
  EXPECT_THAT(message(), HasSubstr("expected git's id"));
}

TEST_F(Hub, AsksAgainWhenTheServerFails) {
  server_.add_large("model.safetensors", weights_);
  int hub_times = 0;
  int storage_times = 0;
  server_.hub_instead = [&](const HttpRequest&) -> std::optional<HttpReply> {
    if (++hub_times % 2 == 1) return plain_reply(503);
    return std::nullopt;
  };
  server_.storage_instead = [&](const HttpRequest&, HttpReply) -> std::optional<HttpReply> {
    if (++storage_times == 1) return plain_reply(500);
    return std::nullopt;
  };
  get();
  EXPECT_EQ(test::read_bytes(folder_ / "model.safetensors"), weights_);
}

TEST_F(Hub, AServerThatKeepsFailingIsGivenUp) {
  server_.hub_instead = [](const HttpRequest&) { return plain_reply(503); };
  EXPECT_THAT(message(), HasSubstr("unreached: "));
  EXPECT_THAT(message(), HasSubstr("503"));
}

TEST_F(Hub, NobodyThereIsUnreached) {
  HubOptions options;
  options.endpoint = "http://127.0.0.1:9";  // the discard service, which nobody runs any more
  EXPECT_THROW(find_on_hub("me/tiny", "main", options), SourceUnreached);
}

TEST_F(Hub, GetsShardsOfEitherForm) {
  const std::string index = R"({"metadata": {"total_size": 9}, "weight_map": {"a": "model-00001-of-00002.safetensors",
    "b": "model-00002-of-00002.safetensors", "c": "model-00001-of-00002.safetensors"}})";
  server_.add_small("model.safetensors.index.json", index);
  server_.add_large("model-00001-of-00002.safetensors", "first");
  server_.add_large("model-00002-of-00002.safetensors", "second");
  for (const bool api : {true, false}) {
    server_.has_api = api;
    EXPECT_THAT(names_of(find_on_hub("me/tiny", "main", server_.options())),
                ElementsAre("config.json", "model.safetensors.index.json", "model-00001-of-00002.safetensors",
                            "model-00002-of-00002.safetensors", "vocab.txt"));
  }
  get();
  EXPECT_EQ(test::read_bytes(folder_ / "model-00002-of-00002.safetensors"), "second");
}

TEST_F(Hub, TakesTheOlderFormWhereThereIsNoOther) {
  server_.add_large("pytorch_model.bin", weights_);
  EXPECT_THAT(names_of(find_on_hub("me/tiny", "main", server_.options())),
              ElementsAre("config.json", "pytorch_model.bin", "vocab.txt"));
}

TEST_F(Hub, AHostileIndexIsRefused) {
  for (const char* file : {"../../evil.bin", "/etc/passwd.bin", "..bin", "run.sh", ""}) {
    server_.add_small("pytorch_model.bin.index.json", nlohmann::json{{"weight_map", {{"a", file}}}}.dump());
    EXPECT_THAT(message(), HasSubstr("expected a plain file name")) << file;
  }
  server_.add_small("pytorch_model.bin.index.json", "[1]");
  EXPECT_THAT(message(), HasSubstr("names no weights"));
}

TEST_F(Hub, SaysWhatIsMissing) {
  EXPECT_THAT(message(), HasSubstr("neither model.safetensors nor pytorch_model.bin"));
  server_.hub_instead = [](const HttpRequest&) { return plain_reply(404, {{"X-Error-Code", "RepoNotFound"}}); };
  EXPECT_THAT(message(), HasSubstr("no such model"));
  server_.hub_instead = [](const HttpRequest&) { return plain_reply(404, {{"X-Error-Code", "RevisionNotFound"}}); };
  EXPECT_THAT(message("v9"), HasSubstr("no revision \"v9\""));
  server_.hub_instead = [](const HttpRequest&) { return plain_reply(404); };
  EXPECT_THAT(message(), HasSubstr("no config.json"));
}

TEST_F(Hub, AGatedModelIsExplained) {
  server_.hub_instead = [](const HttpRequest&) { return plain_reply(401, {{"X-Error-Code", "GatedRepo"}}); };
  EXPECT_THAT(message(), testing::AllOf(HasSubstr("is gated"), HasSubstr("set HF_TOKEN")));
  server_.hub_instead = [](const HttpRequest&) { return plain_reply(403); };
  EXPECT_THAT(message(), HasSubstr("is gated"));
  server_.hub_instead = [](const HttpRequest&) { return plain_reply(401); };
  EXPECT_THAT(message(), HasSubstr("no such model, or it is private"));
  // Listed for everyone, served only to some.
  server_.add_large("model.safetensors", weights_);
  server_.hub_instead = [](const HttpRequest& request) -> std::optional<HttpReply> {
    if (request.path.starts_with("/api/")) return std::nullopt;
    return plain_reply(403, {{"X-Error-Code", "GatedRepo"}});
  };
  EXPECT_THAT(message(), HasSubstr("is gated"));
}

TEST_F(Hub, TheTokenStaysWithTheHub) {
  server_.add_large("model.safetensors", weights_);
  HubOptions options = server_.options();
  options.token = "hf_secret";
  download_from_hub(find_on_hub("me/tiny", "main", options), folder_.path(), options);
  for (const HttpRequest& request : server_.hub().requests()) {
    EXPECT_EQ(request.headers.at("authorization"), "Bearer hf_secret");
  }
  EXPECT_FALSE(server_.storage().requests().empty());
  for (const HttpRequest& request : server_.storage().requests()) EXPECT_EQ(request.headers.count("authorization"), 0U);
}

TEST_F(Hub, ARevisionIsOnePartOfThePath) {
  server_.add_large("model.safetensors", weights_);
  find_on_hub("me/tiny", "refs/pr/1", server_.options());
  EXPECT_EQ(server_.hub().requests().front().path, "/api/models/me/tiny/revision/refs%2Fpr%2F1?blobs=true");
}

TEST(HubName, AreTold) {
  for (const char* name : {"gpt2", "openai-community/gpt2", "a/B_c.d-1"}) EXPECT_TRUE(is_hub_name(name)) << name;
  for (const char* name : {"", "a/b/c", "/a", "a/", "../a", "a/..", ".a", "a b", "a--b", "-a", "a:b", "é"}) {
    EXPECT_FALSE(is_hub_name(name)) << name;
  }
}

TEST(HubEnvironment, IsHeeded) {
  ::setenv("HF_ENDPOINT", "https://mirror.example/", 1);
  ::setenv("HF_TOKEN", "hf_x", 1);
  EXPECT_EQ(hub_options().endpoint, "https://mirror.example");
  EXPECT_EQ(hub_options().token, "hf_x");
  ::setenv("HF_TOKEN", "hf_x\nHost: elsewhere", 1);
  EXPECT_THROW(hub_options(), UserError);
  ::unsetenv("HF_ENDPOINT");
  ::unsetenv("HF_TOKEN");
  EXPECT_EQ(hub_options().endpoint, "https://huggingface.co");
}

}  // namespace
}  // namespace gumption
