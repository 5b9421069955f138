#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "gumption/base/download.h"

namespace gumption {

struct HttpQuery {
  std::string url;
  bool head_only = false;
  bool follow_redirects = true;
  std::string token;  // sent as a bearer token to the address's own host only; empty: none
  double connect_timeout_seconds = 10;
  double timeout_seconds = 60;
  unsigned attempts = 3;  // a server that is busy or fails is asked again
  double first_wait_seconds = 1;
  std::size_t largest_body = std::size_t{1} << 26;
};

struct HttpAnswer {
  long status = 0;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
};

/// Asks a server for something small. Any status is an answer; DownloadError where none came. Needs the feature
/// `download`.
HttpAnswer ask_http(const HttpQuery& query);

}  // namespace gumption
