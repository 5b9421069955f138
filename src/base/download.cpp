#include "gumption/base/download.h"

#include <cstdio>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "gumption/base/build_info.h"
#include "gumption/base/checksum.h"
#include "gumption/base/error.h"
#include "gumption/base/progress.h"

#if GUMPTION_WITH_DOWNLOAD
#include <curl/curl.h>
#endif

namespace gumption {

namespace fs = std::filesystem;

void check_download(const DownloadRequest& request, const fs::path& file) {
  const std::uint64_t size = fs::file_size(file);
  if (request.size != 0 && size != request.size) {
    throw UserError(
        fmt::format("{}: expected {} bytes, found {} in {}. The file behind this address has changed or the "
                    "transfer was damaged; remove it and try again, or fetch it by hand.",
                    request.url, request.size, size, file.string()));
  }
  if (request.sha256.empty()) return;
  const std::string found = sha256_of_file(file);
  if (found == request.sha256) return;
  throw UserError(fmt::format("{}: expected SHA-256 {}, found {} for {}. Remove it and try again, or fetch it by hand.",
                              request.url, request.sha256, found, file.string()));
}

#if GUMPTION_WITH_DOWNLOAD

namespace {

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using FileHandle = std::unique_ptr<std::FILE, FileCloser>;

struct CurlCleaner {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};

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
    long status = 0;
    curl_easy_getinfo(transfer.handle, CURLINFO_RESPONSE_CODE, &status);
    constexpr long kPartialContent = 206;
    if (transfer.resumed_from > 0 && status != kPartialContent && status != 0) {
      // The server sends everything again: so must we begin again.
      transfer.file = open_part(transfer.part, "wb");
      transfer.resumed_from = 0;
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
  long status = 0;
  curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
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
  throw UserError(fmt::format("{}: can't be fetched: {}. {}", request.url, reason, advice));
}

/// A server that has nothing behind our place: either the part is the whole file, or it isn't this file at all.
bool nothing_to_resume(CURL* handle, CURLcode code) {
  long status = 0;
  curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
  constexpr long kRangeNotSatisfiable = 416;
  return code == CURLE_RANGE_ERROR || status == kRangeNotSatisfiable;
}

/// True when the transfer ended well; false when the part can't be continued and was removed.
bool transfer_once(const DownloadRequest& request, const fs::path& part) {
  const std::unique_ptr<CURL, CurlCleaner> handle(curl_easy_init());
  ensure(handle != nullptr, "libcurl starts");
  Transfer transfer;
  transfer.part = part;
  transfer.resumed_from = fs::exists(part) ? fs::file_size(part) : 0;
  transfer.file = open_part(part, "ab");
  transfer.handle = handle.get();
  configure(handle.get(), request, transfer);
  const CURLcode code = curl_easy_perform(handle.get());
  transfer.progress.reset();
  if (std::fflush(transfer.file.get()) != 0) transfer.disk_failed = true;
  if (transfer.resumed_from > 0 && nothing_to_resume(handle.get(), code)) {
    if (request.size != 0 && fs::file_size(part) == request.size) return true;
    fs::remove(part);
    return false;
  }
  if (code == CURLE_OK && !transfer.disk_failed) return true;
  const bool empty = fs::file_size(part) == 0;
  if (empty) fs::remove(part);
  fail(request, handle.get(), code, transfer);
}

}  // namespace

void download(const DownloadRequest& request) {
  static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
  ensure(started == CURLE_OK, "libcurl starts");
  fs::create_directories(request.to.parent_path());
  const fs::path part = request.to.string() + ".part";
  if (!transfer_once(request, part)) transfer_once(request, part);
  try {
    check_download(request, part);
  } catch (const UserError&) {
    fs::remove(part);
    throw;
  }
  fs::rename(part, request.to);
}

#else

void download(const DownloadRequest&) { require_feature("download"); }

#endif

}  // namespace gumption
