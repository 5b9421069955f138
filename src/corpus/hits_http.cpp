#include "gumption/corpus/hits_http.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "gumption/base/build_info.h"
#include "gumption/base/error.h"
#include "gumption/base/progress.h"

#if GUMPTION_WITH_DOWNLOAD
#include <curl/curl.h>
#endif

namespace gumption {

#if GUMPTION_WITH_DOWNLOAD

namespace {

using Clock = std::chrono::steady_clock;

constexpr double kLongestWaitSeconds = 30;
constexpr std::size_t kLargestReply = std::size_t{1} << 20;

struct EasyCleaner {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
struct MultiCleaner {
  void operator()(CURLM* handle) const { curl_multi_cleanup(handle); }
};
struct ListCleaner {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
struct UrlCleaner {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};
struct TextCleaner {
  void operator()(char* text) const { curl_free(text); }
};

void start_curl() {
  static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
  ensure(started == CURLE_OK, "libcurl starts");
}

/// A request that waits for its turn.
struct Waiting {
  std::size_t request = 0;
  std::uint64_t attempts_made = 0;
  Clock::time_point not_before;
};

/// A connection and the request that is on it.
struct Lane {
  std::unique_ptr<CURL, EasyCleaner> handle;
  Waiting waiting;
  std::string body;  // of the reply
  bool busy = false;
};

std::size_t take_bytes(char* bytes, std::size_t /*always one*/, std::size_t size, void* context) {
  auto& body = *static_cast<std::string*>(context);
  if (body.size() + size > kLargestReply) return 0;
  body.append(bytes, size);
  return size;
}

bool may_pass(long status) { return status == 429 || status == 502 || status == 503 || status == 504; }

bool may_pass(CURLcode code) {
  return code == CURLE_OPERATION_TIMEDOUT || code == CURLE_COULDNT_CONNECT || code == CURLE_GOT_NOTHING ||
         code == CURLE_RECV_ERROR || code == CURLE_SEND_ERROR || code == CURLE_PARTIAL_FILE;
}

class PostBatch {
 public:
  PostBatch(const std::string& url, std::span<const std::string> bodies, const HttpBatchOptions& options,
            const HttpBatchHandler& handler)
      : url_(url),
        shown_url_(without_credentials(url)),
        bodies_(bodies),
        options_(options),
        handler_(handler),
        multi_(curl_multi_init()),
        lanes_(std::min<std::size_t>(options.connections, bodies.size())),
        progress_("asking for hits", "queries", bodies.size()) {
    ensure(multi_ != nullptr, "libcurl starts");
    headers_.reset(curl_slist_append(nullptr, "Content-Type: application/json"));
    for (Lane& lane : lanes_) configure(lane);
    for (std::size_t i = bodies.size(); i > 0; --i) waiting_.push_back({i - 1, 0, Clock::time_point()});
  }
  PostBatch(const PostBatch&) = delete;
  PostBatch& operator=(const PostBatch&) = delete;
  ~PostBatch() {
    for (const Lane& lane : lanes_) {
      if (lane.busy) curl_multi_remove_handle(multi_.get(), lane.handle.get());
    }
  }

  void run() {
    while (done_ < bodies_.size()) {
      start_due();
      int running = 0;
      curl_multi_perform(multi_.get(), &running);
      int left = 0;
      while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) finish(*message);
      if (done_ < bodies_.size()) curl_multi_poll(multi_.get(), nullptr, 0, milliseconds_to_wait(), nullptr);
    }
  }

 private:
  void configure(Lane& lane) const {
    lane.handle.reset(curl_easy_init());
    ensure(lane.handle != nullptr, "libcurl starts");
    CURL* handle = lane.handle.get();
    curl_easy_setopt(handle, CURLOPT_URL, url_.c_str());
    curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, static_cast<long>(options_.timeout_seconds * 1000));
    curl_easy_setopt(handle, CURLOPT_USERAGENT, "gumption");
    curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers_.get());
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, take_bytes);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, &lane.body);
    curl_easy_setopt(handle, CURLOPT_PRIVATE, &lane);
  }

  /// Requests that are due, on lanes that are free.
  void start_due() {
    const auto now = Clock::now();
    for (Lane& lane : lanes_) {
      if (lane.busy) continue;
      const auto due = std::find_if(waiting_.rbegin(), waiting_.rend(),
                                    [&](const Waiting& waiting) { return waiting.not_before <= now; });
      if (due == waiting_.rend()) return;
      start(lane, *due);
      waiting_.erase(std::next(due).base());
    }
  }

  void start(Lane& lane, const Waiting& waiting) {
    const std::string& body = bodies_[waiting.request];
    lane.waiting = waiting;
    lane.body.clear();
    lane.busy = true;
    curl_easy_setopt(lane.handle.get(), CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
    curl_easy_setopt(lane.handle.get(), CURLOPT_POSTFIELDS, body.data());
    curl_multi_add_handle(multi_.get(), lane.handle.get());
  }

  void finish(const CURLMsg& message) {
    if (message.msg != CURLMSG_DONE) return;
    Lane* lane = nullptr;
    curl_easy_getinfo(message.easy_handle, CURLINFO_PRIVATE, &lane);
    const CURLcode code = message.data.result;
    curl_multi_remove_handle(multi_.get(), lane->handle.get());
    lane->busy = false;
    long status = 0;
    curl_easy_getinfo(lane->handle.get(), CURLINFO_RESPONSE_CODE, &status);
    if (code != CURLE_OK) {
      const bool too_long = code == CURLE_WRITE_ERROR;
      const std::string reason = too_long ? "the reply has no end" : curl_easy_strerror(code);
      may_pass(code) ? try_again(*lane, reason) : fail(reason);
    } else if (status == 200) {
      const auto again = handler_.take(lane->waiting.request, lane->body);
      again ? try_again(*lane, *again) : note_done();
    } else {
      const std::string reason = status_reason(status, lane->body);
      may_pass(status) ? try_again(*lane, reason) : fail(reason);
    }
  }

  void note_done() {
    ++done_;
    progress_.add(1);
  }

  std::string status_reason(long status, const std::string& body) const {
    const std::string reason = handler_.reason_in(body);
    return fmt::format("the server answered {}{}", status, reason.empty() ? "" : ": " + reason);
  }

  void try_again(const Lane& lane, const std::string& reason) {
    const std::uint64_t made = lane.waiting.attempts_made + 1;
    if (made >= options_.attempts) {
      fail(fmt::format("{}, at the last of {} attempts", reason, options_.attempts));
    }
    double wait = options_.first_wait_seconds;
    for (std::uint64_t i = 1; i < made && wait < kLongestWaitSeconds; ++i) wait *= 2;
    curl_off_t asked_for = 0;
    curl_easy_getinfo(lane.handle.get(), CURLINFO_RETRY_AFTER, &asked_for);
    wait = std::min(std::max(wait, static_cast<double>(asked_for)), kLongestWaitSeconds);
    const auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(wait));
    waiting_.push_back({lane.waiting.request, made, until});
  }

  [[noreturn]] void fail(const std::string& reason) const {
    throw UserError(fmt::format("{}: {}. Check the address, the index and the server.", shown_url_, reason));
  }

  /// Until a lane moves, or a request that waits is due.
  int milliseconds_to_wait() const {
    constexpr std::int64_t kLongest = 1000;
    std::int64_t wait = kLongest;
    const bool lane_free = std::any_of(lanes_.begin(), lanes_.end(), [](const Lane& lane) { return !lane.busy; });
    if (!lane_free) return static_cast<int>(wait);
    const auto now = Clock::now();
    for (const Waiting& waiting : waiting_) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(waiting.not_before - now).count();
      wait = std::clamp<std::int64_t>(left, 0, wait);
    }
    return static_cast<int>(wait);
  }

  std::string url_;
  std::string shown_url_;
  std::span<const std::string> bodies_;
  HttpBatchOptions options_;
  const HttpBatchHandler& handler_;
  std::unique_ptr<curl_slist, ListCleaner> headers_;
  std::unique_ptr<CURLM, MultiCleaner> multi_;
  std::vector<Lane> lanes_;       // before multi_ is gone, their handles are out of it
  std::vector<Waiting> waiting_;  // the next one last
  std::size_t done_ = 0;
  Progress progress_;
};

using UrlText = std::unique_ptr<char, TextCleaner>;

UrlText url_part(CURLU* url, CURLUPart part) {
  char* text = nullptr;
  return UrlText(curl_url_get(url, part, &text, 0) == CURLUE_OK ? text : nullptr);
}

}  // namespace

void post_batch(const std::string& url, std::span<const std::string> bodies, const HttpBatchOptions& options,
                const HttpBatchHandler& handler) {
  ensure(options.connections > 0 && options.attempts > 0, "a batch has connections and attempts");
  start_curl();
  if (!bodies.empty()) PostBatch(url, bodies, options, handler).run();
}

std::string without_credentials(const std::string& url) {
  start_curl();
  const std::unique_ptr<CURLU, UrlCleaner> parsed(curl_url());
  ensure(parsed != nullptr, "libcurl starts");
  const bool understood = curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0) == CURLUE_OK;
  const UrlText scheme = understood ? url_part(parsed.get(), CURLUPART_SCHEME) : nullptr;
  if (!scheme || (std::string_view(scheme.get()) != "http" && std::string_view(scheme.get()) != "https")) {
    throw UserError("endpoint: expected an address like http://HOST:9200, found something else. Check the option.");
  }
  curl_url_set(parsed.get(), CURLUPART_USER, nullptr, 0);
  curl_url_set(parsed.get(), CURLUPART_PASSWORD, nullptr, 0);
  const UrlText shown = url_part(parsed.get(), CURLUPART_URL);
  ensure(shown != nullptr, "an address can be written");
  return shown.get();
}

std::string path_escaped(const std::string& part) {
  start_curl();
  const UrlText escaped(curl_easy_escape(nullptr, part.c_str(), static_cast<int>(part.size())));
  ensure(escaped != nullptr, "libcurl escapes");
  return escaped.get();
}

#else

void post_batch(const std::string&, std::span<const std::string>, const HttpBatchOptions&, const HttpBatchHandler&) {
  require_feature("download");
}

std::string without_credentials(const std::string&) {
  require_feature("download");
  return {};
}

std::string path_escaped(const std::string&) {
  require_feature("download");
  return {};
}

#endif

}  // namespace gumption
