// Several indexes as one, on this machine and behind xapian-tcpsrv on loopback.

#include "gumption/corpus/hits_shards.h"

#include <chrono>
#include <csignal>
#include <optional>
#include <thread>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gumption/base/error.h"
#include "gumption/corpus/hits_index.h"

#include "support/support.h"

namespace gumption {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr const char* kServer = "/usr/bin/xapian-tcpsrv";

/// A socket on loopback, closed at the end. Port 0 asks for a free one.
class LoopbackSocket {
 public:
  LoopbackSocket() : descriptor_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {}
  LoopbackSocket(const LoopbackSocket&) = delete;
  LoopbackSocket& operator=(const LoopbackSocket&) = delete;
  ~LoopbackSocket() { ::close(descriptor_); }

  int bind_free_port() const {
    sockaddr_in address = address_of(0);
    socklen_t length = sizeof address;
    if (::bind(descriptor_, reinterpret_cast<sockaddr*>(&address), length) != 0) return 0;
    ::getsockname(descriptor_, reinterpret_cast<sockaddr*>(&address), &length);
    return ntohs(address.sin_port);
  }

  bool connects_to(int port) const {
    const sockaddr_in address = address_of(port);
    return ::connect(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }

 private:
  static sockaddr_in address_of(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    return address;
  }

  int descriptor_;
};

/// xapian-tcpsrv for one index, until stop().
class ShardServer {
 public:
  explicit ShardServer(const fs::path& index, int idle_milliseconds = 60'000) {
    port_ = LoopbackSocket().bind_free_port();
    const std::vector<std::string> words = {kServer,          "--quiet",
                                            "--interface",    "127.0.0.1",
                                            "--port",         std::to_string(port_),
                                            "--idle-timeout", std::to_string(idle_milliseconds),
                                            index.string()};
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    // A group of its own: the server has a child for each connection, and all must stop together.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    if (::posix_spawn(&process_, kServer, nullptr, &attributes, arguments.data(), environ) != 0) process_ = -1;
    posix_spawnattr_destroy(&attributes);
    wait_until_it_listens();
  }
  ShardServer(const ShardServer&) = delete;
  ShardServer& operator=(const ShardServer&) = delete;
  ~ShardServer() { stop(); }

  void stop() {
    if (process_ <= 0) return;
    ::kill(-process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
    process_ = -1;
  }

  std::string address() const { return fmt::format("127.0.0.1:{}", port_); }

 private:
  void wait_until_it_listens() const {
    for (int i = 0; i < 500; ++i) {
      if (LoopbackSocket().connects_to(port_)) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    ADD_FAILURE() << "xapian-tcpsrv doesn't listen";
  }

  int port_ = 0;
  pid_t process_ = -1;
};

class HitShards : public testing::Test {
 protected:
  HitShards() {
    const fs::path first = folder_.write("1", "the cat sat\nthe dog sat on the cat\na bird\n");
    const fs::path second = folder_.write("2", "the dog saw the cat\nthe cat sat on a mat\n");
    build({first}, "first");
    build({second}, "second");
    build({first, second}, "whole");
  }

  void build(const std::vector<fs::path>& inputs, const std::string& name,
             HitDocuments documents = HitDocuments::kLine) const {
    build_hit_index(inputs, {.documents = documents, .threads = 1}, folder_ / name);
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  static std::vector<std::uint64_t> counts_of(HitCounter& hits) {
    const std::vector<HitQuery> queries = {{"cat", ""},     {"bird", ""},        {"cat", "dog"},
                                           {"cat sat", ""}, {"sat on", "a mat"}, {"cat the", "", HitMatch::kWords}};
    auto counts = hits.count(queries);
    counts.push_back(hits.total());
    return counts;
  }

  static std::string opening_fails(const std::vector<std::string>& shards) {
    try {
      open_hit_shards(shards, 2);
    } catch (const UserError& error) {
      return error.what();
    }
    return "no error";
  }

  static std::string counting_fails(HitCounter& hits) {
    try {
      counts_of(hits);
    } catch (const UserError& error) {
      return error.what();
    }
    return "no error";
  }

  // "cat" stands in 4 of the 5 lines, "bird" in 1, cat and dog in 2, "cat sat" in 2, "sat on" with "a mat" in 1.
  const std::vector<std::uint64_t> expected_ = {4, 1, 2, 2, 1, 4, 5};
  test::TemporaryFolder folder_;
};

TEST_F(HitShards, OnThisMachineCountAsOne) {
  const std::vector<std::string> whole = {path("whole")};
  const std::vector<std::string> shards = {path("first"), path("second")};
  EXPECT_EQ(counts_of(*open_hit_shards(whole, 2)), expected_);
  EXPECT_EQ(counts_of(*open_hit_shards(shards, 2)), expected_);
}

TEST_F(HitShards, ThatAreNoneAreRefused) {
  EXPECT_THAT(opening_fails({path("missing")}), HasSubstr("there is no such hit index"));
  folder_.write("text/file", "text");
  EXPECT_THAT(opening_fails({path("text")}), HasSubstr("text: expected a hit index"));
  EXPECT_THAT(opening_fails({path("first"), path("second"), path("first")}), HasSubstr("named twice"));
  build({folder_ / "1"}, "files", HitDocuments::kFile);
  EXPECT_THAT(opening_fails({path("first"), path("files")}), HasSubstr("the same --documents"));
}

TEST_F(HitShards, ThatAreDamagedAreRefused) {
  for (const auto& entry : fs::directory_iterator(path("first"))) {
    if (entry.path().filename() == "iamglass") fs::resize_file(entry.path(), 20);
  }
  EXPECT_THAT(opening_fails({path("first")}), HasSubstr("first: expected a hit index"));
}

class ServedHitShards : public HitShards {
 protected:
  void SetUp() override {
    if (!fs::exists(kServer)) GTEST_SKIP() << "needs xapian-tcpsrv, of Debian's package xapian-tools";
    first_.emplace(folder_ / "first");
    second_.emplace(folder_ / "second");
    shards_ = {first_->address(), second_->address()};
  }

  std::optional<ShardServer> first_;
  std::optional<ShardServer> second_;
  std::vector<std::string> shards_;
};

TEST_F(ServedHitShards, CountAsOne) {
  EXPECT_EQ(counts_of(*open_hit_shards(shards_, 10)), expected_);
  const std::vector<std::string> mixed = {path("first"), second_->address()};
  EXPECT_EQ(counts_of(*open_hit_shards(mixed, 10)), expected_);
}

TEST_F(ServedHitShards, GiveNoHalfAnswersWhenOneIsStoppedBefore) {
  second_->stop();
  const std::string message = opening_fails(shards_);
  EXPECT_THAT(message, HasSubstr(second_->address() + ": this shard can't be reached"));
}

TEST_F(ServedHitShards, GiveNoHalfAnswersWhenOneIsStoppedMeanwhile) {
  const auto hits = open_hit_shards(shards_, 10);
  EXPECT_EQ(counts_of(*hits), expected_);
  second_->stop();
  EXPECT_THAT(counting_fails(*hits), HasSubstr(second_->address() + ": this shard can't be reached"));
  EXPECT_THAT(counting_fails(*hits), HasSubstr("No hits are given without it"));
}

TEST_F(ServedHitShards, AreAskedAnewWhenAServerClosedAnIdleConnection) {
  const ShardServer hasty(folder_ / "second", 100);
  const std::vector<std::string> shards = {first_->address(), hasty.address()};
  const auto hits = open_hit_shards(shards, 10);
  EXPECT_EQ(counts_of(*hits), expected_);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_EQ(counts_of(*hits), expected_);
}

}  // namespace
}  // namespace gumption
