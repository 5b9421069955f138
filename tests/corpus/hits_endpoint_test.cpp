// The client of a search cluster against a server that speaks the same requests and replies, and misbehaves.

#include "gumption/corpus/hits_endpoint.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "gumption/base/error.h"

#include "support/http_server.h"
#include "support/support.h"

namespace gumption {
namespace {

using nlohmann::json;
using test::HttpReply;
using test::HttpRequest;
using test::HttpServer;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

HttpReply reply_of(int status, const std::string& body) {
  HttpReply reply;
  reply.status = status;
  reply.headers["Content-Type"] = "application/json; charset=UTF-8";
  reply.body = body;
  return reply;
}

HttpReply count_reply(std::uint64_t count, int failed_shards = 0) {
  return reply_of(200, fmt::format(R"({{"count":{},"_shards":{{"total":3,"successful":{},"skipped":0,"failed":{}}}}})",
                                   count, 3 - failed_shards, failed_shards));
}

/// Counts "cat" as 40, "dog" as 30, both as 20, the phrase "the cat" as 8, its words as 9, everything as 100.
HttpReply serve_counts(const HttpRequest& request) {
  const auto phrase = [](const char* text) { return json{{"match_phrase", {{"text", text}}}}; };
  const auto asked = json::parse(request.body, nullptr, false);
  if (request.method != "POST" || request.path != "/books/_count" ||
      request.headers.at("content-type") != "application/json") {
    return reply_of(400, R"({"error":{"type":"x","reason":"unexpected request"},"status":400})");
  }
  if (asked == json{{"query", phrase("cat")}}) return count_reply(40);
  if (asked == json{{"query", phrase("dog")}}) return count_reply(30);
  if (asked == json{{"query", phrase("the cat")}}) return count_reply(8);
  if (asked == json{{"query", {{"match", {{"text", {{"query", "the cat"}, {"operator", "and"}}}}}}}}) {
    return count_reply(9);
  }
  const json both = json::array({phrase("cat"), phrase("dog")});
  if (asked == json{{"query", {{"bool", {{"filter", both}}}}}}) return count_reply(20);
  if (asked == json{{"query", {{"match_all", json::object()}}}}) return count_reply(100);
  return reply_of(400, R"({"error":{"type":"parsing_exception","reason":"unknown query"},"status":400})");
}

HitEndpointOptions options_for(const HttpServer& server) {
  HitEndpointOptions options;
  options.address = server.address();
  options.index = "books";
  options.http.first_wait_seconds = .01;
  options.http.timeout_seconds = 10;
  return options;
}

const std::vector<HitQuery> kQueries = {{"cat", ""},
                                        {"Dog!", ""},
                                        {"dog", "cat"},
                                        {"The cat.", ""},
                                        {"the cat", "", HitMatch::kWords},
                                        {"cat", "", HitMatch::kWords},
                                        {"...", ""}};
const std::vector<std::uint64_t> kCounts = {40, 30, 20, 8, 9, 40, 0};

std::string asking_fails(const HitEndpointOptions& options) {
  try {
    open_hit_endpoint(options)->count(kQueries);
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

/// Answers as `first` does the first `times` times, then as it should.
HttpServer::Handler at_first(int times, std::function<HttpReply()> first) {
  auto left = std::make_shared<std::atomic<int>>(times);
  return [left, first = std::move(first)](const HttpRequest& request) {
    return left->fetch_sub(1) > 0 ? first() : serve_counts(request);
  };
}

TEST(HitEndpoint, AsksAsOpenSearchExpects) {
  const HttpServer server(serve_counts);
  const auto hits = open_hit_endpoint(options_for(server));
  EXPECT_EQ(hits->count(kQueries), kCounts);
  EXPECT_EQ(hits->total(), 100);
  EXPECT_EQ(server.requests().size(), 6);  // "cat" once, and nothing for the text without words
}

TEST(HitEndpoint, AddressesMayEndInASlashAndNamesAreEscaped) {
  const HttpServer server([](const HttpRequest&) { return count_reply(1); });
  HitEndpointOptions options = options_for(server);
  options.address += "/";
  options.index = "a/b c";
  open_hit_endpoint(options)->total();
  EXPECT_EQ(server.requests().front().path, "/a%2Fb%20c/_count");
}

TEST(HitEndpoint, TriesAgainWhileTheServerIsBusy) {
  for (const int status : {429, 502, 503, 504}) {
    const HttpServer server(at_first(3, [status] { return reply_of(status, R"({"error":"busy"})"); }));
    EXPECT_EQ(open_hit_endpoint(options_for(server))->count(kQueries), kCounts) << status;
    EXPECT_EQ(server.requests().size(), 5 + 3);
  }
}

TEST(HitEndpoint, WaitsLongerEachTimeAndGivesUpInTheEnd) {
  const HttpServer server([](const HttpRequest&) { return reply_of(429, R"({"error":{"reason":"too many"}})"); });
  HitEndpointOptions options = options_for(server);
  options.http.attempts = 4;
  options.http.first_wait_seconds = .05;
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THAT(asking_fails(options),
              HasSubstr("/books/_count: the server answered 429: \"too many\", at the last of 4 attempts"));
  // .05 + .1 + .2 seconds of waiting.
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(350));
}

TEST(HitEndpoint, WaitsAsLongAsTheServerAsks) {
  const HttpServer server(at_first(1, [] {
    HttpReply reply = reply_of(429, "");
    reply.headers["Retry-After"] = "1";
    return reply;
  }));
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(open_hit_endpoint(options_for(server))->total(), 100);
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(950));
}

TEST(HitEndpoint, TriesAgainAfterSlownessAndBrokenConnections) {
  HitEndpointOptions options;
  {
    const HttpServer server(at_first(1, [] {
      std::this_thread::sleep_for(std::chrono::milliseconds(600));
      return count_reply(1);
    }));
    options = options_for(server);
    options.http.timeout_seconds = .3;
    options.http.first_wait_seconds = .4;
    EXPECT_EQ(open_hit_endpoint(options)->total(), 100);
  }
  {
    const HttpServer server(at_first(2, [] {
      HttpReply reply = count_reply(1);
      reply.cut_after = 5;
      return reply;
    }));
    EXPECT_EQ(open_hit_endpoint(options_for(server))->count(kQueries), kCounts);
  }
}

TEST(HitEndpoint, GivesUpOnAServerThatStaysSlowOrIsGone) {
  HitEndpointOptions options;
  {
    const HttpServer server([](const HttpRequest&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      return count_reply(1);
    });
    options = options_for(server);
    options.http.attempts = 2;
    options.http.timeout_seconds = .05;
    EXPECT_THAT(asking_fails(options), AllOf(HasSubstr("imeout"), HasSubstr("at the last of 2 attempts")));
  }
  EXPECT_THAT(asking_fails(options), HasSubstr("at the last of 2 attempts"));
}

TEST(HitEndpoint, SaysTheServersReason) {
  const HttpServer server([](const HttpRequest&) {
    return reply_of(404, R"({"error":{"root_cause":[{"type":"index_not_found_exception","reason":"no such index"}],)"
                         R"("type":"index_not_found_exception","reason":"no such index [books]"},"status":404})");
  });
  EXPECT_THAT(asking_fails(options_for(server)), HasSubstr("the server answered 404: \"no such index [books]\""));
  EXPECT_LE(server.requests().size(), options_for(server).http.connections);
}

TEST(HitEndpoint, RefusesRepliesThatAreNoCounts) {
  for (const std::string garbage : {"<html>Welcome</html>", "", "{}", R"({"count":"many"})", R"({"count":-1})",
                                    R"({"count":1.5})", "[1]", "\xff\xfe"}) {
    const HttpServer server([&](const HttpRequest&) { return reply_of(200, garbage); });
    EXPECT_THAT(asking_fails(options_for(server)), HasSubstr("expected a reply with \"count\"")) << garbage;
  }
  const HttpServer endless([](const HttpRequest&) { return reply_of(200, std::string(3 << 20, 'x')); });
  EXPECT_THAT(asking_fails(options_for(endless)), HasSubstr("the reply has no end"));
}

TEST(HitEndpoint, TakesNoHalfAnswers) {
  const HttpServer mended(at_first(1, [] { return count_reply(1, 1); }));
  EXPECT_EQ(open_hit_endpoint(options_for(mended))->total(), 100);
  const HttpServer broken([](const HttpRequest&) { return count_reply(1, 2); });
  EXPECT_THAT(asking_fails(options_for(broken)), HasSubstr("2 of the cluster's shards failed"));
}

TEST(HitEndpoint, RerunsAskNothing) {
  const test::TemporaryFolder folder;
  HitEndpointOptions options;
  {
    const HttpServer server(serve_counts);
    options = options_for(server);
    options.cache = (folder / "cache").string();
    const auto hits = open_hit_endpoint(options);
    hits->count(kQueries);
    hits->total();
  }
  options.http.attempts = 1;  // there is no server any more
  const auto hits = open_hit_endpoint(options);
  EXPECT_EQ(hits->count(kQueries), kCounts);
  EXPECT_EQ(hits->total(), 100);
}

TEST(HitEndpoint, KeepsWhatCameBeforeAnError) {
  const test::TemporaryFolder folder;
  std::atomic<bool> broken = true;
  const HttpServer server([&](const HttpRequest& request) {
    if (broken && request.body.find("match_all") != std::string::npos) return reply_of(500, "");
    return serve_counts(request);
  });
  HitEndpointOptions options = options_for(server);
  options.cache = (folder / "cache").string();
  {
    const auto hits = open_hit_endpoint(options);
    hits->count(kQueries);
    EXPECT_THROW(hits->total(), UserError);
  }
  broken = false;
  const std::size_t before = server.requests().size();
  const auto hits = open_hit_endpoint(options);
  EXPECT_EQ(hits->count(kQueries), kCounts);
  EXPECT_EQ(hits->total(), 100);
  EXPECT_EQ(server.requests().size(), before + 1);
}

TEST(HitEndpoint, PasswordsAreSentAndNotShown) {
  const test::TemporaryFolder folder;
  const HttpServer server([](const HttpRequest&) { return reply_of(403, ""); });
  HitEndpointOptions options = options_for(server);
  options.address.insert(std::string("http://").size(), "me:secret@");
  options.cache = (folder / "cache").string();
  EXPECT_THAT(asking_fails(options), AllOf(HasSubstr("answered 403"), Not(HasSubstr("secret"))));
  EXPECT_EQ(server.requests().front().headers.at("authorization"), "Basic bWU6c2VjcmV0");
  EXPECT_THAT(test::read_bytes(options.cache), Not(HasSubstr("secret")));
}

TEST(HitEndpoint, OtherAddressesAreRefused) {
  for (const std::string address : {"file:///etc/passwd", "localhost", "http://", "ftp://127.0.0.1", ""}) {
    HitEndpointOptions options;
    options.address = address;
    options.index = "books";
    EXPECT_THROW(open_hit_endpoint(options), UserError) << address;
  }
}

}  // namespace
}  // namespace gumption
