#pragma once

// What `score` and `eval` share: the system to ask and the questions to ask it.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gumption/data/dataset.h"
#include "gumption/systems/system.h"

#include "cli/command.h"

namespace gumption::cli {

struct ScoringOptions {
  std::string system;
  std::string data;
  std::vector<std::string> settings;  // name=value
  std::vector<std::string> corpus;    // for systems that count in text
  std::optional<std::uint64_t> seed;  // for systems that have one
  std::uint64_t threads = 0;          // for systems that have a choice; set from the common options
  std::uint64_t batch = 256;
  ReadOptions read;
};

OptionSet describe(ScoringOptions& options);

/// Asks the system all questions, in batches of bounded memory unless it wants to see them all first, and calls `take`
/// with each question and its answer.
SourceFile score_questions(const ScoringOptions& options,
                           const std::function<void(const Question&, const Answer&)>& take);

}  // namespace gumption::cli
