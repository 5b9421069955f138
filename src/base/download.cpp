#include "gumption/base/download.h"

#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include "gumption/base/build_info.h"
#include "gumption/base/checksum.h"
#include "gumption/base/error.h"
#include "gumption/base/files.h"
#include "gumption/base/progress.h"

#if GUMPTION_WITH_DOWNLOAD
#include "curl_kit.hpp"
#endif

namespace gumption {

namespace fs = std::filesystem;

void check_download(const DownloadRequest& request, const fs::path& file) {
  const std::uint64_t size = fs::file_size(file);
  if (request.size != 0 && size != request.size) {
    throw UserError(
        fmt::format("{}: expected {} bytes, found {} in {}. The file behind this address has changed or the "
                    "transfer was damaged; remove it and try again, or fetch it by hand.",
                    without_user(request.url), request.size, size, file.string()));
  }
  const auto check_sum = [&](const char* kind, const std::string& expected, const std::string& found) {
    if (found == expected) return;
    throw UserError(fmt::format("{}: expected {} {}, found {} for {}. Remove it and try again, or fetch it by hand.",
                                without_user(request.url), kind, expected, found, file.string()));
  };
  if (!request.sha256.empty()) check_sum("SHA-256", request.sha256, sha256_of_file(file));
  if (!request.git_blob.empty()) check_sum("git's id", request.git_blob, git_blob_of_file(file));
}

std::string without_user(std::string_view url) {
  const auto scheme = url.find("://");
  if (scheme == std::string_view::npos) return std::string(url);
  const auto host = scheme + 3;
  const auto at = url.substr(0, url.find('/', host)).rfind('@');
  if (at == std::string_view::npos || at < host) return std::string(url);
  return fmt::format("{}{}", url.substr(0, host), url.substr(at + 1));
}

#if GUMPTION_WITH_DOWNLOAD

namespace {

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using FileHandle = std::unique_ptr<std::FILE, FileCloser>;

struct Transfer {
  fs::path part;
  FileHandle file;
  std::uint64_t resumed_from = 0;
  CURL* handle = nullptr;
  bool first_byte = true;
  bool disk_failed = false;
  std::optional<Progress> progress;
};

FileHandle open_part(const fs::path& part, const char* mode) {
  FileHandle file(std::fopen(part.c_str(), mode));
  if (!file) throw UserError(fmt::format("{}: can't write it: {}.", part.string(), system_message(errno)));
  return file;
}

std::size_t take_bytes(char* bytes, std::size_t /*always one*/, std::size_t size, void* context) {
  auto& transfer = *static_cast<Transfer*>(context);
  if (transfer.first_byte) {
    transfer.first_byte = false;
    const long status = status_of(transfer.handle);
    constexpr long kPartialContent = 206;
    if (transfer.resumed_from > 0 && status != kPartialContent && status != 0) {
      // The server sends everything again: so must we begin again.
      transfer.file.reset(std::fopen(transfer.part.c_str(), "wb"));
      transfer.resumed_from = 0;
      if (!transfer.file) {
        transfer.disk_failed = true;
        return 0;
      }
    }
  }
  const std::size_t written = std::fwrite(bytes, 1, size, transfer.file.get());
  if (written != size) transfer.disk_failed = true;
  return written;
}

int show_progress(void* context, curl_off_t total, curl_off_t now, curl_off_t, curl_off_t) {
  auto& transfer = *static_cast<Transfer*>(context);
  if (total > 0 && !transfer.progress) {
    transfer.progress.emplace("fetching " + transfer.part.stem().string(), "B", static_cast<std::uint64_t>(total));
  }
  if (transfer.progress) transfer.progress->set(static_cast<std::uint64_t>(now));
  return 0;
}

void configure(CURL* handle, const DownloadRequest& request, Transfer& transfer) {
  curl_easy_setopt(handle, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https,file");
  curl_easy_setopt(handle, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(handle, CURLOPT_MAXREDIRS, 10L);
  curl_easy_setopt(handle, CURLOPT_FAILONERROR, 1L);
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(request.connect_timeout_seconds * 1000));
  curl_easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, static_cast<long>(request.stall_seconds));
  curl_easy_setopt(handle, CURLOPT_USERAGENT, "gumption");
  curl_easy_setopt(handle, CURLOPT_RESUME_FROM_LARGE, static_cast<curl_off_t>(transfer.resumed_from));
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, take_bytes);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, &transfer);
  curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, show_progress);
  curl_easy_setopt(handle, CURLOPT_XFERINFODATA, &transfer);
}

[[noreturn]] void fail(const DownloadRequest& request, CURL* handle, CURLcode code, const Transfer& transfer) {
  const long status = status_of(handle);
  std::string reason = curl_easy_strerror(code);
  std::string advice = "Run the same command again to continue.";
  if (transfer.disk_failed) {
    reason = fmt::format("can't write {}", transfer.part.string());
    advice = "Is the disk full? Run the same command again to continue.";
  } else if (code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_CONNECT || code == CURLE_OPERATION_TIMEDOUT) {
    advice = "Is this machine online? Elsewhere fetched, the file can be put at " + request.to.string() + ".";
  } else if (code == CURLE_HTTP_RETURNED_ERROR) {
    reason = fmt::format("the server answered {}", status);
    advice = "The address may have changed.";
  }
  throw DownloadError(fmt::format("{}: can't be fetched: {}. {}", without_user(request.url), reason, advice),
                      code == CURLE_HTTP_RETURNED_ERROR ? status : 0);
}

/// A server that has nothing behind our place: either the part is the whole file, or it isn't this file at all.
bool nothing_to_resume(CURL* handle, CURLcode code) {
  constexpr long kRangeNotSatisfiable = 416;
  return code == CURLE_RANGE_ERROR || status_of(handle) == kRangeNotSatisfiable;
}

enum class Outcome { kCame, kPartUnusable, kTryAgain };

/// One request. kPartUnusable: what was there can't be continued and was removed.
Outcome transfer_once(const DownloadRequest& request, const fs::path& part, CURL* handle, bool last) {
  Transfer transfer;
  transfer.part = part;
  transfer.resumed_from = fs::exists(part) ? fs::file_size(part) : 0;
  transfer.file = open_part(part, "ab");
  transfer.handle = handle;
  configure(handle, request, transfer);
  const CURLcode code = curl_easy_perform(handle);
  transfer.progress.reset();
  if (transfer.file && std::fflush(transfer.file.get()) != 0) transfer.disk_failed = true;
  if (transfer.resumed_from > 0 && nothing_to_resume(handle, code)) {
    if (request.size != 0 && fs::file_size(part) == request.size) return Outcome::kCame;
    fs::remove(part);
    return Outcome::kPartUnusable;
  }
  if (code == CURLE_OK && !transfer.disk_failed) return Outcome::kCame;
  const bool empty = fs::file_size(part) == 0;
  if (empty) fs::remove(part);
  if (!last && !transfer.disk_failed && may_pass(code, status_of(handle))) return Outcome::kTryAgain;
  fail(request, handle, code, transfer);
}

void transfer(const DownloadRequest& request, const fs::path& part) {
  const CurlHandle handle = new_curl_handle();
  const CurlList headers = send_token(handle.get(), request.token);
  unsigned attempt = 1;
  while (true) {
    const Outcome outcome = transfer_once(request, part, handle.get(), attempt >= request.attempts);
    if (outcome == Outcome::kCame) return;
    if (outcome == Outcome::kPartUnusable) continue;
    ++attempt;
    const double wait = seconds_before(handle.get(), attempt, request.first_wait_seconds);
    std::this_thread::sleep_for(std::chrono::duration<double>(wait));
  }
}

}  // namespace

void download(const DownloadRequest& request) {
  const fs::path folder = request.to.has_parent_path() ? request.to.parent_path() : fs::path(".");
  fs::create_directories(folder);
  const fs::path part = request.to.string() + ".part";
  transfer(request, part);
  try {
    check_download(request, part);
  } catch (const UserError&) {
    fs::remove(part);
    throw;
  }
  sync_to_disk(part);
  fs::rename(part, request.to);
  sync_to_disk(folder);
}

#else

void download(const DownloadRequest&) { require_feature("download"); }

#endif

}  // namespace gumption
