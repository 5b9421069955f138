#pragma once

#include <array>
#include <csignal>

namespace gumption {

/// Catches SIGTERM and SIGINT, unless they are ignored, as long as it lives, so that work can end in good order. The
/// second one of a kind ends the program at once. One at a time.
class StopSignal {
 public:
  StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;
  ~StopSignal();

  /// The signal that came, or 0.
  int caught() const;

 private:
  std::array<struct sigaction, 2> before_{};
};

}  // namespace gumption
