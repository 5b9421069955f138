#include "gumption/base/http_query.h"

#include <cctype>
#include <chrono>
#include <string_view>
#include <thread>

#include <fmt/format.h>

#include "gumption/base/build_info.h"
#include "gumption/base/error.h"

#if GUMPTION_WITH_DOWNLOAD
#include "curl_kit.hpp"
#endif

namespace gumption {

#if GUMPTION_WITH_DOWNLOAD

namespace {

struct Reply {
  HttpAnswer answer;
  std::size_t largest_body = 0;
  bool too_long = false;
};

std::size_t take_body(char* bytes, std::size_t /*always one*/, std::size_t size, void* context) {
  auto& reply = *static_cast<Reply*>(context);
  if (reply.answer.body.size() + size > reply.largest_body) {
    reply.too_long = true;
    return 0;
  }
  reply.answer.body.append(bytes, size);
  return size;
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::size_t take_header(char* bytes, std::size_t /*always one*/, std::size_t size, void* context) {
  auto& headers = static_cast<Reply*>(context)->answer.headers;
  const std::string_view line(bytes, size);
  if (line.starts_with("HTTP/")) headers.clear();  // a redirect's own headers are behind us
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) return size;
  std::string name;
  for (const char c : line.substr(0, colon)) name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  headers[name] = trimmed(line.substr(colon + 1));
  return size;
}

void configure(CURL* handle, const HttpQuery& query, Reply& reply) {
  curl_easy_setopt(handle, CURLOPT_URL, query.url.c_str());
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, query.follow_redirects ? 1L : 0L);
  curl_easy_setopt(handle, CURLOPT_MAXREDIRS, 10L);
  curl_easy_setopt(handle, CURLOPT_NOBODY, query.head_only ? 1L : 0L);
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(query.connect_timeout_seconds * 1000));
  curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, static_cast<long>(query.timeout_seconds * 1000));
  curl_easy_setopt(handle, CURLOPT_USERAGENT, "gumption");
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, take_body);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, &reply);
  curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, take_header);
  curl_easy_setopt(handle, CURLOPT_HEADERDATA, &reply);
}

}  // namespace

HttpAnswer ask_http(const HttpQuery& query) {
  const CurlHandle handle = new_curl_handle();
  const CurlList headers = send_token(handle.get(), query.token);
  for (unsigned attempt = 1;; ++attempt) {
    Reply reply;
    reply.largest_body = query.largest_body;
    configure(handle.get(), query, reply);
    const CURLcode code = curl_easy_perform(handle.get());
    reply.answer.status = status_of(handle.get());
    const bool again = attempt < query.attempts && may_pass(code, reply.answer.status);
    if (!again && code == CURLE_OK) return std::move(reply.answer);
    if (!again) {
      const std::string reason = reply.too_long ? "its answer is too long" : curl_easy_strerror(code);
      throw DownloadError(fmt::format("{}: {}.", without_user(query.url), reason), 0);
    }
    const double wait = seconds_before(handle.get(), attempt + 1, query.first_wait_seconds);
    std::this_thread::sleep_for(std::chrono::duration<double>(wait));
  }
}

#else

HttpAnswer ask_http(const HttpQuery&) {
  require_feature("download");
  return {};
}

#endif

}  // namespace gumption
