#pragma once

// Scores that are written while they are made, so that a killed run can go on where it was.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "gumption/data/answer.h"
#include "gumption/data/question.h"

namespace gumption {

/// One line of a file of scores, without its end.
std::string score_line(const Question& question, const Answer& answer);

/// Which questions were answered, without keeping their ids: how many, and a number that depends on every id in order.
struct AnsweredIds {
  std::size_t count = 0;
  std::uint64_t digest = 0;

  void add(std::string_view id);
  bool operator==(const AnsweredIds&) const = default;
};

/// OUT.partial: a line that says what run this is, then a line for each question that was answered. Not thread-safe.
class ScoreLog {
 public:
  /// Opens the log beside `out`. What an earlier run of the same description left is kept, up to its last whole line.
  /// `description` is one line of JSON. UserError where the file holds another run's answers, can't be written, or is
  /// being written by another process.
  ScoreLog(const std::filesystem::path& out, const std::string& description);
  ScoreLog(const ScoreLog&) = delete;
  ScoreLog& operator=(const ScoreLog&) = delete;
  ~ScoreLog();

  /// The questions that were answered before.
  const AnsweredIds& answered() const { return answered_; }

  /// Appends lines and hands them to the system. UserError when the disk is full; the lines before stay.
  void add(const std::string& lines);

  /// Gives each line in turn to `take`, without its end.
  void read(const std::function<void(const std::string&)>& take) const;

  /// Ends the run: the log is removed.
  void remove();

 private:
  void take_over(const std::string& description);

  std::filesystem::path path_;
  AnsweredIds answered_;
  bool has_answers_ = false;  // a log without any is not worth keeping
  int descriptor_ = -1;
};

}  // namespace gumption
