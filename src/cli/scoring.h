#pragma once

// What `score` and `eval` share: the system to ask and the questions to ask it.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gumption/data/dataset.h"
#include "gumption/systems/score_log.h"
#include "gumption/systems/system.h"

#include "cli/command.h"

namespace gumption::cli {

struct ScoringOptions {
  std::string system;  // or what `model` and `method` say
  std::string model;
  std::string method;
  std::string data;
  std::vector<std::string> settings;  // name=value
  std::vector<std::string> corpus;    // for systems that count in text
  std::string tokenizer;              // these four for systems that ask a model
  std::string device;
  std::string precision;
  std::string normalise;
  bool details = false;
  std::optional<std::uint64_t> seed;  // for systems that have one
  std::uint64_t threads = 0;          // for systems that have a choice; set from the common options
  std::uint64_t batch = 0;            // 0: what suits the system
  ReadOptions read;
};

OptionSet describe(ScoringOptions& options);

/// The system that is meant, by name. UsageError where neither a system nor a model is given.
std::string system_name(const ScoringOptions& options);

/// Whether it needs LibTorch.
bool needs_engine(const ScoringOptions& options);

/// Whether this is a later one of several processes that share the counting: it answers for nobody and writes nothing.
bool only_helps(const ScoringOptions& options);

/// One line of JSON that tells runs apart whose scores may differ: the system, its settings, the data.
std::string description_of_run(const ScoringOptions& options);

struct ScoringResult {
  SourceFile source;
  std::uint64_t truncated = 0;  // texts that were too long for the system
  std::string note;             // the system's own
};

/// Asks the system all questions but those answered before, in batches of bounded memory unless it wants to see them
/// all first, and calls `take` with the questions and answers of each batch.
struct Scored {
  std::span<const Question> questions;
  std::span<const Answer> answers;
};
ScoringResult score_questions(const ScoringOptions& options, const std::function<void(const Scored&)>& take,
                              const AnsweredIds& answered_before = {});

/// Says on stderr what a person should know of how the system answered, and how many texts were cut.
void print_notes(const CommonOptions& common, const ScoringResult& result);

}  // namespace gumption::cli
