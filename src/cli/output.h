#pragma once

// Printing: tables, JSON, notes. Of several processes that work as one only the first prints.

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "gumption/data/dataset.h"
#include "gumption/data/question.h"

#include "cli/command.h"

namespace gumption::cli {

/// A table with its first column to the left and the others to the right, as wide as its texts.
class Table {
 public:
  explicit Table(std::vector<std::string> header) : header_(std::move(header)) {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  /// A row of its own that names what follows.
  void add_heading(std::string text) { rows_.push_back({std::move(text)}); }
  bool empty() const { return rows_.empty(); }

  /// Columns to the left, for texts instead of numbers.
  Table& left_aligned() {
    all_left_ = true;
    return *this;
  }

  void print() const;

 private:
  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
  bool all_left_ = false;
};

/// A question for people to read, but its id: each choice stands behind its mark.
void print_question(const Question& question, const std::function<std::string_view(std::size_t choice)>& mark);

/// To standard output, indented, with a line end.
void print_json(const nlohmann::ordered_json& json);

/// To standard error, unless --quiet.
void print_note(const CommonOptions& common, const std::string& text);

/// Says which label list was found and used.
void note_labels(const CommonOptions& common, const std::vector<SourceFile>& sources);

/// 12345 → "12,345".
std::string with_commas(std::size_t number);

/// 12345.67 with one decimal → "12,345.7". For what isn't negative.
std::string with_commas(double number, int decimals);

/// "1 step", "12,345 steps".
std::string counted(std::size_t number, const std::string& one, const std::string& several);

/// Words as a line that a shell takes apart into them again.
std::string shell_line(const std::vector<std::string>& words);

/// .1234 → "12.3%".
std::string percent(double share);

std::vector<std::filesystem::path> to_paths(const std::vector<std::string>& names);

}  // namespace gumption::cli
