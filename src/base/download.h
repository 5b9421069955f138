#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace gumption {

struct DownloadRequest {
  std::string url;
  std::filesystem::path to;
  std::uint64_t size = 0;  // 0: not known
  std::string sha256;      // empty: not known
  double connect_timeout_seconds = 15;
  double stall_seconds = 30;  // no byte for so long: give up; what came is kept and continued next time
};

/// Fetches a file by HTTP, HTTPS or file address. The bytes go to TO.part and are continued from there when that exists
/// (from the start where the server can't); TO appears only when its length is what the server promised and size and
/// sum are what the request says. A wrong sum removes TO.part. Every failure is a UserError that says what to do.
void download(const DownloadRequest& request);

/// UserError unless a file has the size and sum that the request names, as far as it does.
void check_download(const DownloadRequest& request, const std::filesystem::path& file);

}  // namespace gumption
