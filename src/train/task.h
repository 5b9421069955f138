#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "gumption/train/training_batch.h"

namespace gumption {

/// How one example enters a step.
struct ExampleDraw {
  float weight = 0;       // of its loss
  std::uint64_t key = 0;  // of everything that is random about it in this step
};

/// What is to be learnt: examples, and how well the model does on others.
class Task {
 public:
  virtual ~Task() = default;

  virtual std::size_t examples() const = 0;
  /// Tokens that an example puts through the model.
  virtual std::int64_t tokens_of(std::size_t example) const = 0;
  /// Adds an example to a batch. This and the two above may be called from another thread than the rest.
  virtual void add(std::size_t example, const ExampleDraw& draw, TrainingBatch& batch) const = 0;

  /// How well the model does on what it doesn't learn from. Empty without such examples. All processes call it at the
  /// same time and get the same.
  virtual std::optional<double> evaluate() = 0;
  virtual bool higher_is_better() const = 0;
  /// What evaluate() gives, as a key of the log: "dev_accuracy".
  virtual std::string measure() const = 0;
};

}  // namespace gumption
