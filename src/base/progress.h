#pragma once

// A line on the terminal that says how far a long task has come, how fast it goes and how long it will take.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>

namespace gumption {

/// Where progress is drawn in this process; nullptr (the start) means nowhere. The command line sets stderr when it is
/// a terminal and --quiet is not given. Call before starting threads.
void set_progress_output(std::FILE* output);

/// "what  45%  12.3 MB/s  0:07 left", drawn from the first second on, ten times a second at most, and wiped at the end.
/// add() may be called from any thread.
class Progress {
 public:
  /// `total` 0: not known. `unit` "B" shows byte amounts; any other is shown as it is ("questions").
  Progress(std::string what, std::string unit, std::uint64_t total);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  void add(std::uint64_t amount) { advance_to(done_.fetch_add(amount) + amount); }

  /// For tasks that know their place better than their steps.
  void set(std::uint64_t done) {
    done_.store(done);
    advance_to(done);
  }

 private:
  using Clock = std::chrono::steady_clock;

  void advance_to(std::uint64_t done);

  std::string what_;
  std::string unit_;
  std::uint64_t total_;
  std::FILE* output_;
  Clock::time_point start_;
  std::atomic<std::uint64_t> done_{0};
  std::atomic<std::int64_t> next_draw_ms_;
  std::mutex drawing_;
  bool drawn_ = false;
};

/// The line that Progress draws; apart so that it can be tested. `seconds` must be positive.
std::string progress_line(const std::string& what, const std::string& unit, std::uint64_t done, std::uint64_t total,
                          double seconds);

}  // namespace gumption
