#pragma once

// What systems answered and what is right, from files: score files (JSON Lines, `gumption score`) and COPA's responses
// ("id 0 1": a column for each choice, 1 under the chosen one), told apart by content; labels also from questions.

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gumption/base/files.h"
#include "gumption/data/dataset.h"

namespace gumption {

/// One question's row in a file of answers. `choice` and `label` are under `choices`, which is two or more.
struct ScoredAnswer {
  std::string id;
  int choice = 0;
  std::size_t choices = 0;
  bool tie = false;          // the highest score stood more than once
  std::optional<int> label;  // where the file has it
  std::size_t line = 0;
};

/// A file of answers; no id stands twice.
struct ScoreFile {
  std::string name;
  bool has_scores = false;  // a score file; otherwise COPA's responses
  std::vector<ScoredAnswer> answers;
};

/// UserError, with the line, for a row that is neither form, a choice that hasn't the highest score, or a repeated id;
/// and for a file without rows. A row of a score file without an id gets its number, from 1.
ScoreFile read_score_file(const std::filesystem::path& path);
ScoreFile read_score_file(std::unique_ptr<ByteSource> source);

/// What is right.
struct GoldLabel {
  std::string id;
  std::size_t choices = 0;
  std::optional<int> label;  // a question without one is left out of every count
};

/// Right answers in order; no id stands twice, and at least one has a label.
struct Gold {
  std::string name;
  std::vector<GoldLabel> questions;
  std::optional<SourceFile> source;  // where the file held questions

  std::size_t labelled() const;

  /// What guessing comes to: the mean of 1/choices over the questions with labels.
  double chance() const;
};

/// The labels of questions, of a score file, or the choices of COPA responses. A format or label list in `options` says
/// that the file holds questions. UserError as above, and where nothing has a label.
Gold read_gold(const std::filesystem::path& path, const ReadOptions& options = {});

/// The labels that a score file brought along, of its first `limit` rows unless that is 0; UserError where it has none.
Gold gold_of(const ScoreFile& answers, std::uint64_t limit = 0);

/// Checks that ids stand once and something has a label; `gold` is as some reader filled it in.
void check_gold(const Gold& gold);

/// Right and wrong for each question that has a label, in the gold's order.
struct Marks {
  std::vector<bool> right;
  std::size_t ties = 0;

  std::size_t correct() const;
};

/// How answers are held against questions.
enum class Extras { kRefused, kIgnored };  // answers to questions that aren't there

/// UserError where a question has no answer, an answer has another number of choices or another label than its
/// question, or, with `Extras::kRefused`, an answer has no question.
Marks mark(const ScoreFile& answers, const Gold& gold, Extras extras = Extras::kRefused);

}  // namespace gumption
