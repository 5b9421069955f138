#pragma once

namespace gumption {

/// Catches SIGTERM and SIGINT as long as it lives, so that work can end in good order. The second one of a kind acts as
/// it did before. One at a time.
class StopSignal {
 public:
  StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;
  ~StopSignal();

  /// The signal that came, or 0.
  int caught() const;
};

}  // namespace gumption
