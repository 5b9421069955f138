#include "cli/output.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "gumption/base/error.h"
#include "gumption/cluster/process_group.h"
#include "gumption/text/unicode.h"

namespace gumption::cli {

namespace {

bool use_bold() {
  const char* no_colour = std::getenv("NO_COLOR");
  return ::isatty(STDOUT_FILENO) == 1 && (no_colour == nullptr || *no_colour == '\0');
}

std::string bold(const std::string& text) { return use_bold() ? "\033[1m" + text + "\033[0m" : text; }

std::string padded(const std::string& text, std::size_t width, bool to_the_right) {
  const std::size_t length = count_points(text);
  const std::string gap(width > length ? width - length : 0, ' ');
  return to_the_right ? gap + text : text + gap;
}

std::string with_commas_before(std::string digits, std::size_t end) {
  for (std::size_t at = std::min(end, digits.size()); at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

}  // namespace

void Table::print() const {
  if (!is_first_process()) return;
  std::vector<std::size_t> widths;
  const auto measure = [&](const std::vector<std::string>& row) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], count_points(row[i]));
  };
  measure(header_);
  for (const auto& row : rows_) {
    if (row.size() > 1) measure(row);
  }
  const auto line_of = [&](const std::vector<std::string>& row) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += (i == 0 ? "" : "  ") + padded(row[i], widths[i], i > 0 && !all_left_);
    }
    return line.substr(0, line.find_last_not_of(' ') + 1);
  };
  if (!header_.empty()) fmt::print("{}\n", bold(line_of(header_)));
  for (const auto& row : rows_) fmt::print("{}\n", row.size() == 1 ? bold(row[0]) : line_of(row));
}

void print_json(const nlohmann::ordered_json& json) {
  if (!is_first_process()) return;
  fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

void print_note(const CommonOptions& common, const std::string& text) {
  if (!common.quiet && is_first_process()) fmt::print(stderr, "{}\n", text);
}

void note_labels(const CommonOptions& common, const std::vector<SourceFile>& sources) {
  for (const SourceFile& source : sources) {
    if (source.labels_were_found) {
      print_note(common, fmt::format("Labels of {} come from {}.", source.path.string(), source.labels.string()));
    }
  }
}

void print_question(const Question& question, const std::function<std::string_view(std::size_t choice)>& mark) {
  if (!question.context.empty()) fmt::print("  {}\n", printable(question.context));
  if (!question.question.empty()) fmt::print("  {}\n", printable(question.question));
  const std::vector<std::string>& kinds = question.notes.choice_kinds;
  for (std::size_t i = 0; i < question.choices.size(); ++i) {
    fmt::print("  {} {}. {}", mark(i), i, printable(question.choices[i]));
    if (!kinds.empty()) fmt::print("  [{}]", printable(kinds[i]));
    fmt::print("\n");
  }
  fmt::print("\n");
}

std::string with_commas(std::size_t number) { return with_commas_before(std::to_string(number), std::string::npos); }

std::string with_commas(double number, int decimals) {
  std::string text = fmt::format("{:.{}f}", number, decimals);
  const std::size_t point = text.find('.');
  return with_commas_before(std::move(text), point);
}

std::string counted(std::size_t number, const std::string& one, const std::string& several) {
  return fmt::format("{} {}", with_commas(number), number == 1 ? one : several);
}

std::string shell_line(const std::vector<std::string>& words) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char letter : word) line += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    line += '\'';
  }
  return line;
}

std::string percent(double share) { return fmt::format("{:.1f}%", 100 * share); }

std::vector<std::filesystem::path> to_paths(const std::vector<std::string>& names) {
  return {names.begin(), names.end()};
}

}  // namespace gumption::cli
