#pragma once

#include "gumption/data/question.h"

namespace gumption {

/// Writes questions to one file (or folder) that appears, whole, with commit(). Destroyed without it, nothing has
/// changed. UserError for a question that the format has no way to say. Not thread-safe.
class QuestionWriter {
 public:
  virtual ~QuestionWriter() = default;
  virtual void write(const Question& question) = 0;
  virtual void commit() = 0;
};

}  // namespace gumption
