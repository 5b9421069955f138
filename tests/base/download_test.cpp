#include "gumption/base/download.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gumption/base/checksum.h"
#include "gumption/base/error.h"

#include "support/http_server.h"
#include "support/support.h"

namespace gumption {
namespace {

namespace fs = std::filesystem;
using test::HttpReply;
using test::HttpRequest;
using test::HttpServer;
using testing::HasSubstr;

class Download : public testing::Test {
 protected:
  Download() {
    for (int i = 0; i < 20'000; ++i) bytes_ += "row " + std::to_string(i) + "\n";
    sum_ = sha256_of_file(folder_.write("reference", bytes_));
  }

  DownloadRequest request(const HttpServer& server) const {
    DownloadRequest request;
    request.url = server.address() + "/file";
    request.to = folder_ / "got";
    request.size = bytes_.size();
    request.sha256 = sum_;
    return request;
  }

  static std::string message_of(const DownloadRequest& request) {
    try {
      download(request);
    } catch (const UserError& error) {
      return error.what();
    }
    return "no error";
  }

  bool got_everything() const {
    return test::read_bytes(folder_ / "got") == bytes_ && !fs::exists(folder_ / "got.part");
  }
  bool got_nothing() const { return !fs::exists(folder_ / "got"); }

  test::TemporaryFolder folder_;
  std::string bytes_;
  std::string sum_;
};

TEST_F(Download, Fetches) {
  const HttpServer server([&](const HttpRequest& request) { return test::serve_bytes(request, bytes_); });
  download(request(server));
  EXPECT_TRUE(got_everything());
}

TEST_F(Download, FollowsRedirects) {
  const HttpServer server([&](const HttpRequest& request) {
    if (request.path == "/file") return HttpReply{302, {{"Location", "/elsewhere"}}, "", {}, {}};
    return test::serve_bytes(request, bytes_);
  });
  download(request(server));
  EXPECT_TRUE(got_everything());
}

TEST_F(Download, ContinuesWhereTheConnectionBroke) {
  bool broken = true;
  const HttpServer server([&](const HttpRequest& request) {
    HttpReply reply = test::serve_bytes(request, bytes_);
    if (broken) reply.cut_after = 100'000;
    return reply;
  });
  EXPECT_THAT(message_of(request(server)), HasSubstr("Run the same command again to continue"));
  EXPECT_TRUE(got_nothing());
  EXPECT_EQ(fs::file_size(folder_ / "got.part"), 100'000U);
  broken = false;
  download(request(server));
  EXPECT_TRUE(got_everything());
  EXPECT_EQ(server.requests().back().headers.at("range"), "bytes=100000-");
}

TEST_F(Download, BeginsAgainWhereTheServerKnowsNoRanges) {
  folder_.write("got.part", bytes_.substr(0, 1000));
  const HttpServer server([&](const HttpRequest&) {
    return HttpReply{200, {}, bytes_, std::string::npos, std::string::npos};
  });
  download(request(server));
  EXPECT_TRUE(got_everything());
}

TEST_F(Download, APartThatIsAlreadyWholeIsEnough) {
  folder_.write("got.part", bytes_);
  const HttpServer server([&](const HttpRequest& request) { return test::serve_bytes(request, bytes_); });
  download(request(server));
  EXPECT_TRUE(got_everything());
}

TEST_F(Download, AForeignPartIsReplaced) {
  folder_.write("got.part", bytes_ + "and more");
  const HttpServer server([&](const HttpRequest& request) { return test::serve_bytes(request, bytes_); });
  download(request(server));
  EXPECT_TRUE(got_everything());
}

TEST_F(Download, AShortFileIsNotTaken) {
  const HttpServer server([&](const HttpRequest& request) {
    HttpReply reply = test::serve_bytes(request, bytes_.substr(0, 500));
    reply.promised_length = 900;
    return reply;
  });
  EXPECT_THAT(message_of(request(server)), HasSubstr("can't be fetched"));
  EXPECT_TRUE(got_nothing());
}

TEST_F(Download, AWrongSizeIsNotTaken) {
  const HttpServer server([&](const HttpRequest& request) { return test::serve_bytes(request, bytes_ + "x"); });
  EXPECT_THAT(message_of(request(server)), HasSubstr("expected 188890 bytes, found 188891"));
  EXPECT_TRUE(got_nothing());
  EXPECT_FALSE(fs::exists(folder_ / "got.part"));
}

TEST_F(Download, AWrongSumIsNotTaken) {
  std::string other = bytes_;
  other[77] = '#';
  const HttpServer server([&](const HttpRequest& request) { return test::serve_bytes(request, other); });
  EXPECT_THAT(message_of(request(server)), HasSubstr("expected SHA-256 " + sum_));
  EXPECT_TRUE(got_nothing());
  EXPECT_FALSE(fs::exists(folder_ / "got.part"));
}

TEST_F(Download, AMissingFileIsSaid) {
  const HttpServer server([](const HttpRequest&) {
    return HttpReply{404, {}, "gone", std::string::npos, std::string::npos};
  });
  EXPECT_THAT(message_of(request(server)), HasSubstr("the server answered 404"));
  EXPECT_TRUE(got_nothing());
  EXPECT_FALSE(fs::exists(folder_ / "got.part"));
}

TEST_F(Download, NobodyThereIsSaid) {
  DownloadRequest request;
  {
    const HttpServer server([](const HttpRequest&) { return HttpReply{}; });
    request = this->request(server);
  }
  EXPECT_THAT(message_of(request), HasSubstr("Is this machine online?"));
}

TEST_F(Download, ASilentServerIsGivenUp) {
  const HttpServer server([&](const HttpRequest&) {
    std::this_thread::sleep_for(std::chrono::seconds(3));
    return HttpReply{};
  });
  DownloadRequest impatient = request(server);
  impatient.stall_seconds = 1;
  EXPECT_THAT(message_of(impatient), HasSubstr("can't be fetched"));
}

}  // namespace
}  // namespace gumption
