#include "gumption/train/stop_signal.h"

#include <atomic>

namespace gumption {

namespace {

constexpr std::array<int, 2> kSignals = {SIGTERM, SIGINT};
std::atomic<int> caught_signal = 0;
static_assert(std::atomic<int>::is_always_lock_free, "handlers may write it");

extern "C" void note_signal(int signal) {
  caught_signal = signal;
  std::signal(signal, SIG_DFL);  // the next one ends the program at once
}

}  // namespace

StopSignal::StopSignal() {
  caught_signal = 0;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler == SIG_IGN) continue;  // as under nohup: whoever started us wants it so
    struct sigaction action = {};
    action.sa_handler = note_signal;
    action.sa_flags = SA_RESTART;
    ::sigaction(kSignals[i], &action, nullptr);
  }
}

StopSignal::~StopSignal() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
}

int StopSignal::caught() const { return caught_signal; }

}  // namespace gumption
