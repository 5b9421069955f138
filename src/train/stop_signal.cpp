#include "gumption/train/stop_signal.h"

#include <array>
#include <csignal>

namespace gumption {

namespace {

constexpr std::array<int, 2> kSignals = {SIGTERM, SIGINT};
volatile std::sig_atomic_t caught_signal = 0;

extern "C" void note_signal(int signal) { caught_signal = signal; }

}  // namespace

StopSignal::StopSignal() {
  caught_signal = 0;
  for (const int signal : kSignals) {
    struct sigaction action = {};
    action.sa_handler = note_signal;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
    ::sigaction(signal, &action, nullptr);
  }
}

StopSignal::~StopSignal() {
  for (const int signal : kSignals) std::signal(signal, SIG_DFL);
}

int StopSignal::caught() const { return caught_signal; }

}  // namespace gumption
