#pragma once

// What download.cpp and http_query.cpp share of libcurl. Inside this room only: a .hpp is not installed.

#include <algorithm>
#include <memory>
#include <string>

#include <curl/curl.h>

#include "gumption/base/error.h"

namespace gumption {

struct CurlCleaner {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
using CurlHandle = std::unique_ptr<CURL, CurlCleaner>;

struct CurlListCleaner {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using CurlList = std::unique_ptr<curl_slist, CurlListCleaner>;

inline CurlHandle new_curl_handle() {
  static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
  ensure(started == CURLE_OK, "libcurl starts");
  CurlHandle handle(curl_easy_init());
  ensure(handle != nullptr, "libcurl starts");
  return handle;
}

/// Adds a bearer token, which libcurl keeps from any other host, port or scheme that a redirect leads to. The list must
/// live as long as the handle is used.
inline CurlList send_token(CURL* handle, const std::string& token) {
  if (token.empty()) return nullptr;
  CurlList headers(curl_slist_append(nullptr, ("Authorization: Bearer " + token).c_str()));
  curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers.get());
  return headers;
}

inline long status_of(CURL* handle) {
  long status = 0;
  curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
  return status;
}

/// Whether the same request may succeed a little later.
inline bool may_pass(CURLcode code, long status) {
  if (code == CURLE_OK || code == CURLE_HTTP_RETURNED_ERROR) {
    return status == 429 || status == 500 || status == 502 || status == 503 || status == 504;
  }
  return code == CURLE_GOT_NOTHING || code == CURLE_RECV_ERROR || code == CURLE_SEND_ERROR ||
         code == CURLE_PARTIAL_FILE || code == CURLE_HTTP2 || code == CURLE_HTTP2_STREAM;
}

/// How long to wait before attempt number `next` (the second is 2): doubling, or what the server asks for.
inline double seconds_before(CURL* handle, unsigned next, double first_wait_seconds) {
  constexpr double kLongest = 30;
  double wait = first_wait_seconds;
  for (unsigned i = 2; i < next && wait < kLongest; ++i) wait *= 2;
  curl_off_t asked_for = 0;
  curl_easy_getinfo(handle, CURLINFO_RETRY_AFTER, &asked_for);
  return std::min(std::max(wait, static_cast<double>(asked_for)), kLongest);
}

}  // namespace gumption
