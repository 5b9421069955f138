#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace gumption {

/// What came of a run.
struct TrainReport {
  std::uint64_t steps = 0;  // done in all
  std::uint64_t total_steps = 0;
  double loss = 0;               // of the last step
  std::string measure;           // what was measured on dev: "dev_accuracy"
  std::optional<double> best;    // of the model that was kept
  std::uint64_t best_step = 0;   // 0: nothing was measured, and the last model was kept
  std::optional<double> last;    // of the last model that was measured
  std::uint64_t examples = 0;    // learnt from in this process's lifetime
  double seconds = 0;            // of that, evaluating and saving included
  int stopped_by = 0;            // the signal that ended it early, or 0
  bool stopped_early = false;    // for want of gain
  bool was_finished = false;     // before it began
  std::uint64_t truncated = 0;   // texts that were too long and were cut
  std::uint64_t parameters = 0;  // numbers that are learnt
};

}  // namespace gumption
