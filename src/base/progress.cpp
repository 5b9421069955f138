#include "gumption/base/progress.h"

#include <cmath>

#include <fmt/format.h>

namespace gumption {

namespace {

std::FILE* progress_output = nullptr;

constexpr std::int64_t kFirstDrawMs = 1000;
constexpr std::int64_t kRedrawMs = 100;

std::string amount(double value, const std::string& unit) {
  if (unit != "B") return fmt::format("{:.0f} {}", value, unit);
  if (value >= 1e9) return fmt::format("{:.2f} GB", value / 1e9);
  if (value >= 1e6) return fmt::format("{:.1f} MB", value / 1e6);
  return fmt::format("{:.0f} kB", value / 1e3);
}

std::string clock_time(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace

void set_progress_output(std::FILE* output) { progress_output = output; }

std::string progress_line(const std::string& what, const std::string& unit, std::uint64_t done, std::uint64_t total,
                          double seconds) {
  const double rate = static_cast<double>(done) / seconds;
  std::string line = what;
  if (total > 0) {
    line += fmt::format("  {:3.0f}%", 100.0 * static_cast<double>(done) / static_cast<double>(total));
  } else {
    line += "  " + amount(static_cast<double>(done), unit);
  }
  line += fmt::format("  {}/s", amount(rate, unit));
  if (total > done && done > 0) line += fmt::format("  {} left", clock_time(static_cast<double>(total - done) / rate));
  return line;
}

Progress::Progress(std::string what, std::string unit, std::uint64_t total)
    : what_(std::move(what)),
      unit_(std::move(unit)),
      total_(total),
      output_(progress_output),
      start_(Clock::now()),
      next_draw_ms_(kFirstDrawMs) {}

Progress::~Progress() {
  if (!drawn_) return;
  std::fputs("\r\033[K", output_);
  std::fflush(output_);
}

void Progress::advance_to(std::uint64_t done) {
  if (output_ == nullptr) return;
  const auto elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start_).count();
  if (elapsed < next_draw_ms_.load(std::memory_order_relaxed)) return;
  const std::unique_lock lock(drawing_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  next_draw_ms_.store(elapsed + kRedrawMs, std::memory_order_relaxed);
  const std::string line = progress_line(what_, unit_, done, total_, static_cast<double>(elapsed) / 1000.0);
  fmt::print(output_, "\r\033[K{}", line);
  std::fflush(output_);
  drawn_ = true;
}

}  // namespace gumption
