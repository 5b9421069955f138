#include "gumption/base/process.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gumption/base/error.h"
#include "gumption/base/options.h"

extern char** environ;

namespace gumption {

namespace fs = std::filesystem;

std::optional<fs::path> find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  if (path == nullptr) return std::nullopt;
  for (const auto folder : split_text(path, ':')) {
    const fs::path candidate = fs::path(folder.empty() ? "." : folder) / name;
    std::error_code ignored;
    if (fs::is_regular_file(candidate, ignored) && ::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return std::nullopt;
}

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kOutputKept = std::size_t{1} << 16;
constexpr std::array kEndingSignals = {SIGINT, SIGTERM, SIGHUP};

volatile std::sig_atomic_t caught_signal = 0;

/// While it lives, a signal that would end us is only noted.
class SignalWatch {
 public:
  SignalWatch() {
    caught_signal = 0;
    for (std::size_t i = 0; i < kEndingSignals.size(); ++i) {
      struct sigaction noting {};
      noting.sa_handler = [](int number) { caught_signal = number; };
      sigemptyset(&noting.sa_mask);
      ::sigaction(kEndingSignals[i], &noting, &before_[i]);
      if (before_[i].sa_handler == SIG_IGN) ::sigaction(kEndingSignals[i], &before_[i], nullptr);
    }
  }
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;
  ~SignalWatch() { restore(); }

  void restore() {
    for (std::size_t i = 0; i < kEndingSignals.size(); ++i) ::sigaction(kEndingSignals[i], &before_[i], nullptr);
  }

 private:
  std::array<struct sigaction, kEndingSignals.size()> before_{};
};

class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) {
      throw UserError(fmt::format("can't make a pipe: {}.", system_message(errno)));
    }
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_writing();
    ::close(ends_[0]);
  }
  void close_writing() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }
  int reading() const { return ends_[0]; }
  int writing() const { return ends_[1]; }

 private:
  std::array<int, 2> ends_{-1, -1};
};

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (auto& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> environment_with(const std::vector<std::string>& added) {
  std::vector<std::string> all = added;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view ours(*entry);
    const auto name = ours.substr(0, ours.find('=') + 1);
    bool replaced = false;
    for (const auto& other : added) replaced = replaced || other.starts_with(name);
    if (!replaced) all.emplace_back(ours);
  }
  return all;
}

/// The child's half; async-signal-safe calls only. Ends with the errno on `report` where the program can't be started.
[[noreturn]] void become(const char* program, char** arguments, char** environment, const char* folder, int output,
                         int report) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // a parent that is killed outright can't end us itself
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  if (*folder == '\0' || ::chdir(folder) == 0) ::execve(program, arguments, environment);
  const int reason = errno;
  [[maybe_unused]] const ssize_t told = ::write(report, &reason, sizeof reason);
  ::_exit(127);
}

pid_t start(const ProcessRequest& request, int output) {
  std::vector<std::string> words = request.arguments;
  words.insert(words.begin(), request.program.string());
  std::vector<std::string> settings = environment_with(request.environment);
  const auto arguments = pointers_to(words);
  const auto environment = pointers_to(settings);
  Pipe report;
  const pid_t child = ::fork();
  if (child == 0) {
    become(request.program.c_str(), const_cast<char**>(arguments.data()), const_cast<char**>(environment.data()),
           request.folder.c_str(), output, report.writing());
  }
  int reason = child < 0 ? errno : 0;
  report.close_writing();
  if (child > 0 && ::read(report.reading(), &reason, sizeof reason) > 0) ::waitpid(child, nullptr, 0);
  if (reason != 0) {
    throw UserError(fmt::format("{}: can't be started: {}.", request.program.string(), system_message(reason)));
  }
  return child;
}

class Run {
 public:
  explicit Run(const ProcessRequest& request) : request_(request), start_(Clock::now()) {
    child_ = start(request, pipe_.writing());
    pipe_.close_writing();
    ::fcntl(pipe_.reading(), F_SETFL, O_NONBLOCK);
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() { end(); }  // where go_on() throws

  ProcessResult finish() {
    int status = 0;
    while (::waitpid(child_, &status, WNOHANG) == 0) {
      pollfd waiting{open_ ? pipe_.reading() : -1, POLLIN, 0};
      constexpr int kTickMs = 100;
      ::poll(&waiting, 1, kTickMs);
      read_output();
      if (caught_signal != 0 || !may_go_on()) {
        result_.was_ended = true;
        status = end();
        break;
      }
    }
    child_ = -1;
    read_output();
    result_.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return std::move(result_);
  }

 private:
  bool may_go_on() const {
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    if (request_.time_limit_seconds > 0 && seconds > request_.time_limit_seconds) return false;
    return !request_.go_on || request_.go_on();
  }

  void read_output() {
    std::array<char, 4096> buffer{};
    ssize_t got = 0;
    while ((got = ::read(pipe_.reading(), buffer.data(), buffer.size())) > 0) {
      result_.output.append(buffer.data(), static_cast<std::size_t>(got));
      if (result_.output.size() > 2 * kOutputKept) trim();
    }
    if (got == 0) open_ = false;
    trim();
  }

  void trim() {
    if (result_.output.size() > kOutputKept) result_.output.erase(0, result_.output.size() - kOutputKept);
  }

  /// Asks the whole group to end, and kills it where it doesn't. Gives the program's status.
  int end() {
    if (child_ < 0) return 0;
    int status = 0;
    ::kill(-child_, SIGTERM);
    constexpr int kTries = 50;
    for (int i = 0; i < kTries; ++i) {
      if (::waitpid(child_, &status, WNOHANG) != 0) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      if (i + 1 < kTries) continue;
      ::kill(-child_, SIGKILL);
      ::waitpid(child_, &status, 0);
    }
    ::kill(-child_, SIGKILL);  // what it may have left behind in its group
    child_ = -1;
    return status;
  }

  const ProcessRequest& request_;
  Pipe pipe_;
  Clock::time_point start_;
  pid_t child_ = -1;
  bool open_ = true;
  ProcessResult result_;
};

}  // namespace

ProcessResult run_process(const ProcessRequest& request) {
  SignalWatch watch;
  ProcessResult result = Run(request).finish();
  watch.restore();
  if (caught_signal != 0) std::raise(caught_signal);
  return result;
}

}  // namespace gumption
