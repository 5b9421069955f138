#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace gumption::test {

struct HttpRequest {
  std::string method;
  std::string path;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
};

/// What a handler sends back. `promised_length` lets it lie about the length of the body; `cut_after` closes the
/// connection after so many bytes of it.
struct HttpReply {
  int status = 200;
  std::map<std::string, std::string> headers;
  std::string body;
  std::size_t promised_length = std::string::npos;
  std::size_t cut_after = std::string::npos;
};

/// A small HTTP/1.1 server on a free loopback port, one connection at a time, for tests that need one to misbehave.
class HttpServer {
 public:
  using Handler = std::function<HttpReply(const HttpRequest&)>;

  explicit HttpServer(Handler handler);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();

  /// "http://127.0.0.1:PORT"
  std::string address() const;

  std::vector<HttpRequest> requests() const;

 private:
  void serve();
  void answer(int connection);

  Handler handler_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> stopping_{false};
  mutable std::mutex mutex_;
  std::vector<HttpRequest> requests_;
  std::thread thread_;
};

/// Serves `bytes` with ranges, as a file server does.
HttpReply serve_bytes(const HttpRequest& request, const std::string& bytes);

}  // namespace gumption::test
