#include "gumption/base/download.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gumption/base/checksum.h"
#include "gumption/base/error.h"
#include "gumption/base/http_query.h"

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

TEST_F(Download, AFailingServerIsAskedAgainForWhatIsLeft) {
  int asked = 0;
  const HttpServer server([&](const HttpRequest& request) {
    ++asked;
    if (asked == 1) return HttpReply{503, {}, "busy", std::string::npos, std::string::npos};
    HttpReply reply = test::serve_bytes(request, bytes_);
    if (asked == 2) reply.cut_after = 70'000;
    return reply;
  });
  DownloadRequest patient = request(server);
  patient.attempts = 3;
  patient.first_wait_seconds = 0.01;
  download(patient);
  EXPECT_TRUE(got_everything());
  EXPECT_EQ(server.requests().back().headers.at("range"), "bytes=70000-");
}

TEST_F(Download, TheStatusIsTold) {
  const HttpServer server([](const HttpRequest&) {
    return HttpReply{403, {}, "no", std::string::npos, std::string::npos};
  });
  try {
    download(request(server));
    ADD_FAILURE() << "no error";
  } catch (const DownloadError& error) {
    EXPECT_EQ(error.status(), 403);
  }
}

TEST_F(Download, ATokenStaysWithItsHost) {
  const HttpServer storage([&](const HttpRequest& request) { return test::serve_bytes(request, bytes_); });
  const HttpServer server([&](const HttpRequest&) {
    return HttpReply{302, {{"Location", storage.address() + "/signed"}}, "", std::string::npos, std::string::npos};
  });
  DownloadRequest secret = request(server);
  secret.token = "hf_secret";
  download(secret);
  EXPECT_TRUE(got_everything());
  EXPECT_EQ(server.requests().at(0).headers.at("authorization"), "Bearer hf_secret");
  EXPECT_EQ(storage.requests().at(0).headers.count("authorization"), 0U);
}

TEST_F(Download, GitsIdIsChecked) {
  const HttpServer server([](const HttpRequest& request) { return test::serve_bytes(request, "hello\n"); });
  DownloadRequest small = request(server);
  small.size = 0;
  small.sha256.clear();
  small.git_blob = "ce013625030ba8dba906f756967f9e9ca394464a";  // git hash-object
  download(small);
  EXPECT_EQ(test::read_bytes(folder_ / "got"), "hello\n");
  small.git_blob[0] = 'd';
  EXPECT_THAT(message_of(small), HasSubstr("expected git's id de013625"));
}

TEST(Address, LosesItsUser) {
  EXPECT_EQ(without_user("https://me:secret@host:80/a@b"), "https://host:80/a@b");
  EXPECT_EQ(without_user("https://host/a@b"), "https://host/a@b");
  EXPECT_EQ(without_user("plain"), "plain");
}

TEST(HttpQueryTest, GivesStatusHeadersAndBody) {
  const HttpServer server([](const HttpRequest& request) {
    if (request.path == "/moved") return HttpReply{307, {{"Location", "/there"}, {"X-Old", "1"}}, "", 0, 0};
    return HttpReply{404, {{"X-Error-Code", "Gone "}}, "no such thing", std::string::npos, std::string::npos};
  });
  HttpQuery query;
  query.url = server.address() + "/moved";
  const HttpAnswer answer = ask_http(query);
  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(answer.headers.at("x-error-code"), "Gone");
  EXPECT_EQ(answer.headers.count("x-old"), 0U);
  EXPECT_EQ(answer.body, "no such thing");
  query.follow_redirects = false;
  query.head_only = true;
  EXPECT_EQ(ask_http(query).status, 307);
  EXPECT_EQ(server.requests().back().method, "HEAD");
}

TEST(HttpQueryTest, AsksABusyServerAgain) {
  int asked = 0;
  const HttpServer server([&](const HttpRequest&) {
    return HttpReply{++asked < 3 ? 502 : 200, {}, "here", std::string::npos, std::string::npos};
  });
  HttpQuery query;
  query.url = server.address();
  query.first_wait_seconds = 0.01;
  EXPECT_EQ(ask_http(query).body, "here");
  query.largest_body = 3;
  EXPECT_THROW(ask_http(query), DownloadError);
}

}  // namespace
}  // namespace gumption
