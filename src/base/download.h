#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "gumption/base/error.h"

namespace gumption {

/// What was asked for didn't come.
class DownloadError : public UserError {
 public:
  DownloadError(const std::string& message, long status) : UserError(message), status_(status) {}

  /// The server's answer; 0 where none came.
  long status() const { return status_; }

 private:
  long status_;
};

struct DownloadRequest {
  std::string url;
  std::filesystem::path to;
  std::uint64_t size = 0;  // 0: not known
  std::string sha256;      // empty: not known
  std::string git_blob;    // the id that git gives these bytes; empty: not known
  std::string token;       // sent as a bearer token to the address's own host only; empty: none
  double connect_timeout_seconds = 15;
  double stall_seconds = 30;  // no byte for so long: give up; what came is kept and continued next time
  unsigned attempts = 1;      // a server that is busy, fails or hangs up is asked again, for what is left
  double first_wait_seconds = 1;
};

/// Fetches a file by HTTP, HTTPS or file address. The bytes go to TO.part and are continued from there when that exists
/// (from the start where the server can't); TO appears only when its length is what the server promised and size and
/// sum are what the request says. A wrong sum removes TO.part. Every failure is a UserError that says what to do, and a
/// DownloadError where the file didn't come.
void download(const DownloadRequest& request);

/// UserError unless a file has the size and sum that the request names, as far as it does.
void check_download(const DownloadRequest& request, const std::filesystem::path& file);

/// An address without the user's name and password, for messages.
std::string without_user(std::string_view url);

}  // namespace gumption
