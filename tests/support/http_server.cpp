#include "support/http_server.h"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <stdexcept>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace gumption::test {

namespace {

void send_all(int connection, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

/// Reads until `wanted` bytes are there; false when the peer closes first.
bool receive(int connection, std::string& into, std::size_t wanted) {
  char buffer[4096];
  while (into.size() < wanted) {
    const ssize_t got = ::recv(connection, buffer, sizeof buffer, 0);
    if (got <= 0) return false;
    into.append(buffer, static_cast<std::size_t>(got));
  }
  return true;
}

HttpRequest parse_head(const std::string& head) {
  HttpRequest request;
  std::istringstream lines(head);
  std::string line;
  std::getline(lines, line);
  std::istringstream(line) >> request.method >> request.path;
  while (std::getline(lines, line) && line != "\r") {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    std::string name = line.substr(0, colon);
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    std::string value = line.substr(colon + 1);
    value.erase(0, value.find_first_not_of(' '));
    while (!value.empty() && (value.back() == '\r' || value.back() == ' ')) value.pop_back();
    request.headers[name] = value;
  }
  return request;
}

}  // namespace

HttpServer::HttpServer(Handler handler) : handler_(std::move(handler)) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), length) != 0 || ::listen(listener_, 16) != 0 ||
      ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length) != 0) {
    throw std::runtime_error("no loopback port");
  }
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { serve(); });
}

HttpServer::~HttpServer() {
  stopping_ = true;
  thread_.join();
  ::close(listener_);
}

std::string HttpServer::address() const { return fmt::format("http://127.0.0.1:{}", port_); }

std::vector<HttpRequest> HttpServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

void HttpServer::serve() {
  while (!stopping_) {
    pollfd waiting{listener_, POLLIN, 0};
    if (::poll(&waiting, 1, 20) <= 0) continue;
    const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) continue;
    answer(connection);
    ::close(connection);
  }
}

void HttpServer::answer(int connection) {
  std::string received;
  std::size_t head_end = std::string::npos;
  while ((head_end = received.find("\r\n\r\n")) == std::string::npos) {
    if (!receive(connection, received, received.size() + 1)) return;
  }
  HttpRequest request = parse_head(received.substr(0, head_end + 2));
  const auto length = request.headers.find("content-length");
  const std::size_t body_size = length == request.headers.end() ? 0 : std::stoul(length->second);
  if (!receive(connection, received, head_end + 4 + body_size)) return;
  request.body = received.substr(head_end + 4, body_size);
  {
    const std::lock_guard lock(mutex_);
    requests_.push_back(request);
  }
  const HttpReply reply = handler_(request);
  std::string head = fmt::format("HTTP/1.1 {} Reply\r\nConnection: close\r\n", reply.status);
  for (const auto& [name, value] : reply.headers) head += fmt::format("{}: {}\r\n", name, value);
  const std::size_t promised = reply.promised_length == std::string::npos ? reply.body.size() : reply.promised_length;
  head += fmt::format("Content-Length: {}\r\n\r\n", promised);
  send_all(connection, head);
  if (request.method != "HEAD") send_all(connection, std::string_view(reply.body).substr(0, reply.cut_after));
}

HttpReply serve_bytes(const HttpRequest& request, const std::string& bytes) {
  HttpReply reply;
  const auto range = request.headers.find("range");
  if (range == request.headers.end()) {
    reply.body = bytes;
    return reply;
  }
  const std::size_t from = std::stoul(range->second.substr(std::string("bytes=").size()));
  if (from >= bytes.size()) {
    reply.status = 416;
    return reply;
  }
  reply.status = 206;
  reply.headers["Content-Range"] = fmt::format("bytes {}-{}/{}", from, bytes.size() - 1, bytes.size());
  reply.body = bytes.substr(from);
  return reply;
}

}  // namespace gumption::test
