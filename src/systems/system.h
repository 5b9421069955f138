#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gumption/base/options.h"
#include "gumption/data/answer.h"
#include "gumption/data/question.h"

namespace gumption {

/// Answers multiple-choice questions. An answer depends on its question alone, never on the others in the batch.
class System {
 public:
  virtual ~System() = default;

  /// Called at most once, before anything else, with the name of the data's format, by which a default may be chosen.
  virtual void note_format(std::string_view) {}

  /// Whether prepare() has to see all questions before the first is answered, as where one pass over a large text
  /// serves them all. Callers then keep all questions in memory; otherwise they need not.
  virtual bool wants_questions_first() const { return false; }

  /// Called at most once, before answer(), with all questions that will be asked.
  virtual void prepare(std::span<const Question>) {}

  /// One answer for each question, in order. Not thread-safe unless a system says so.
  virtual std::vector<Answer> answer(std::span<const Question> questions) = 0;

  /// What a person should know about how it answers; empty: nothing. Known once note_format() was called.
  virtual std::string note() const { return {}; }

  /// Texts so far that were too long for the system and were cut.
  virtual std::uint64_t truncated() const { return 0; }
};

/// A system's options before it is made: describe() binds to them, make() reads them.
class SystemSetup {
 public:
  virtual ~SystemSetup() = default;
  virtual OptionSet describe() = 0;
  virtual std::unique_ptr<System> make() = 0;
};

/// The description that stands beside an options struct.
template <class Options>
OptionSet description_of(Options& options) {
  return describe(options);
}

/// The usual setup: an options struct with a describe() beside it, and a system that is made from it.
template <class Options, class Made>
class SetupOf final : public SystemSetup {
 public:
  OptionSet describe() override { return description_of(options_); }
  std::unique_ptr<System> make() override { return std::make_unique<Made>(options_); }

 private:
  Options options_;
};

}  // namespace gumption
