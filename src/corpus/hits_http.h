#pragma once

// Many small JSON questions to one HTTP address, over a few connections at a time.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

namespace gumption {

struct HttpBatchOptions {
  std::uint64_t connections = 4;
  std::uint64_t attempts = 6;      // for each request, the first one included
  double timeout_seconds = 30;     // for each attempt
  double first_wait_seconds = .5;  // before the second attempt; twice as long before each further one, 30 at most
};

/// What the caller makes of replies.
struct HttpBatchHandler {
  /// Takes the body of a reply with status 200. Returns a reason for asking this one again, or nothing when it is done.
  std::function<std::optional<std::string>(std::size_t request, const std::string& body)> take;

  /// The server's reason in the body of any other reply; empty where it gives none.
  std::function<std::string(const std::string& body)> reason_in;
};

/// Posts each body to `url` (http or https), in any order, and gives each reply to the handler as it comes. Tried
/// again, after a wait that doubles and is at least what the server's Retry-After asks for (30 seconds at most): status
/// 429, 502, 503 and 504, time-outs, and connections that fail or break. UserError, with the server's reason, for any
/// other status and when the attempts are used up; the requests still open are dropped then.
void post_batch(const std::string& url, std::span<const std::string> bodies, const HttpBatchOptions& options,
                const HttpBatchHandler& handler);

/// `url` without user name and password, for messages and files. UserError when it isn't an http or https address.
std::string without_credentials(const std::string& url);

/// `part` as a piece of a path: what has a meaning in addresses is escaped.
std::string path_escaped(const std::string& part);

}  // namespace gumption
