#pragma once

// What a training run leaves on the disk: the best model, a log, and the state from which it can go on.
//
//   DIR/config.json, model.safetensors, …   the best model so far, to be used as --model
//   DIR/log.jsonl                           a line for each step
//   DIR/training/run.json                   what was asked for
//   DIR/training/state.safetensors          where it stands; gone once the run has ended

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "gumption/base/file_lock.h"

namespace gumption {

/// One thing that makes a run what it is. Runs that differ in any of them don't go on from each other.
struct RunSetting {
  std::string name;
  std::string value;
};

/// UserError where no run could begin or go on in `folder`, as far as that shows without its settings: what costs
/// nothing to see before data and models are read.
void require_usable(const std::filesystem::path& folder, bool resume);

/// One process's hold on a run's folder. Not thread-safe.
class RunFolder {
 public:
  /// Makes the folder, or opens one that a run of the same settings left behind, where `resume` says so; `resume`
  /// without such a run begins one, so that a job can be started again by the same command. Without `resume`, a run
  /// that has saved nothing gives way: it may have diverged. UserError where a run is there without `resume`, belongs
  /// to other settings (the difference is named), or is worked in by another process, and where the folder holds
  /// something else.
  RunFolder(std::filesystem::path folder, const std::vector<RunSetting>& settings, bool resume);

  const std::filesystem::path& path() const { return folder_; }
  std::filesystem::path state_file() const { return folder_ / "training" / "state.safetensors"; }

  /// Whether the run ended before.
  bool finished() const { return finished_; }
  bool has_state() const;

  /// Cuts the log behind the line of `step`, and opens it for what comes behind. To be called once, first.
  void open_log(std::uint64_t step);
  /// Adds a line, which must not hold a line break.
  void log(const std::string& line);
  /// Brings the lines so far to the file.
  void flush_log();

  /// Notes that the run has ended, with what to remember of it, and removes the state.
  void finish(const std::string& result_json);

 private:
  void create(const std::vector<RunSetting>& settings);
  void reopen(const std::vector<RunSetting>& settings);

  std::filesystem::path folder_;
  std::unique_ptr<FileLock> lock_;
  std::ofstream log_;
  bool finished_ = false;
};

}  // namespace gumption
