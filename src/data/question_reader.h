#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "gumption/data/question.h"

namespace gumption {

/// How far a reader has come, in bytes as they lie on disk; `total` 0 where that isn't known.
struct ReadPosition {
  std::uint64_t done = 0;
  std::uint64_t total = 0;
};

/// Gives the questions of one file, one after another. Not thread-safe.
class QuestionReader {
 public:
  virtual ~QuestionReader() = default;

  /// The next question into `question`, whose strings are reused; false at the end. Throws BadRow when one row is at
  /// fault (call again to go on with the next) and any other UserError when the rest can't be read.
  bool next(Question& question);

  /// Rows taken so far, bad ones too.
  std::size_t rows() const { return rows_; }

  /// Where the question that next() gave last stands.
  virtual const std::string& file() const = 0;
  virtual std::size_t line() const = 0;

  virtual ReadPosition position() const = 0;

 protected:
  /// Fills in an empty question. An id left empty becomes the row's number; choices and label are checked by next().
  virtual bool read_row(Question& question) = 0;

  /// Whether read_row() gives nothing but UTF-8 without NUL bytes, so that next() need not look again.
  virtual bool gives_clean_text() const { return false; }

  /// A BadRow unless `text`, called `what` in the message, is UTF-8 without NUL bytes. For what a reader works on
  /// before next() looks at the whole question.
  void need_text(std::string_view text, std::string_view what) const;

  /// A BadRow at the present place.
  [[noreturn]] void refuse(std::string expected, std::string found, std::string advice = {}) const;

 private:
  std::size_t rows_ = 0;
};

}  // namespace gumption
