#include "gumption/measure/score_file.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "gumption/base/error.h"
#include "gumption/base/line_reader.h"
#include "gumption/data/answer.h"
#include "gumption/data/catalogue.h"
#include "gumption/data/json_document.h"
#include "gumption/data/question_format.h"

namespace gumption {

namespace {

constexpr std::string_view kBlanks = " \t";

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  std::size_t begin = line.find_first_not_of(kBlanks);
  while (begin != std::string_view::npos) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(kBlanks, end);
  }
  return words;
}

/// An id, and then zeros and a single one; nothing for any other line.
std::optional<ScoredAnswer> parse_response(std::string_view line) {
  const auto words = words_of(line);
  if (words.size() < 3) return std::nullopt;
  ScoredAnswer answer;
  std::size_t ones = 0;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] != "0" && words[i] != "1") return std::nullopt;
    if (words[i] == "0") continue;
    answer.choice = static_cast<int>(i - 1);
    ++ones;
  }
  if (ones != 1) return std::nullopt;
  answer.id = words[0];
  answer.choices = words.size() - 1;
  return answer;
}

/// Reads the rows of one file, whichever form they have.
class AnswerReader {
 public:
  explicit AnswerReader(std::unique_ptr<ByteSource> source) : lines_(std::move(source)) {}

  /// The next answer; false at the end. The first line that isn't blank settles the form for all.
  bool next(ScoredAnswer& answer) {
    std::string_view line;
    do {
      if (!lines_.next(line)) return false;
    } while (line.find_first_not_of(kBlanks) == std::string_view::npos);
    if (++rows_ == 1) is_json_ = line[line.find_first_not_of(kBlanks)] == '{';
    answer = is_json_ ? json_row(line) : response_row(line);
    answer.line = lines_.line_number();
    return true;
  }

  const std::string& name() const { return lines_.source().name(); }

  /// Settled once a row was read.
  bool is_json() const { return is_json_; }

 private:
  [[noreturn]] void refuse(std::string expected, std::string found, std::string advice = {}) const {
    throw UserError(Complaint{name(), lines_.line_number(), std::move(expected), std::move(found), std::move(advice)});
  }

  ScoredAnswer response_row(std::string_view line) const {
    auto answer = parse_response(line);
    if (!answer) {
      refuse(rows_ == 1 ? "a row of scores in JSON, or an id with a 0 or 1 for each choice"
                        : "an id with a 0 for each choice and a 1 for the chosen one",
             in_quotes(line));
    }
    return *std::move(answer);
  }

  ScoredAnswer json_row(std::string_view line) {
    std::string error;
    if (!document_.parse(line, error)) refuse("a row of scores in JSON", error, "Was its writing interrupted?");
    const JsonValue row = document_.root();
    if (!row.is_object()) refuse("an object", std::string(row.kind_name()));
    std::string id = std::to_string(rows_);
    std::optional<std::int64_t> choice;
    std::optional<std::int64_t> label;
    std::vector<double> scores;
    for (const JsonValue member : row) {
      if (member.key() == "id") id = id_of(member);
      if (member.key() == "scores") scores = scores_of(member);
      if (member.key() == "choice") choice = index_of(member);
      if (member.key() == "label" && member.kind() != JsonValue::Kind::kNull) label = index_of(member);
    }
    if (scores.size() < 2) refuse("two or more \"scores\"", scores.empty() ? "none" : "one");
    return checked(make_answer(std::move(id), std::move(scores)), choice, label);
  }

  ScoredAnswer checked(const Answer& answer, std::optional<std::int64_t> choice,
                       std::optional<std::int64_t> label) const {
    const auto count = static_cast<std::int64_t>(answer.scores.size());
    for (const auto& index : {choice, label}) {
      if (index && (*index < 0 || *index >= count)) {
        refuse(fmt::format("one of {} choices (counted from 0)", count), fmt::format("{}", *index));
      }
    }
    ScoredAnswer row{answer.id, answer.choice, answer.scores.size(), answer.tie, std::nullopt, 0};
    if (label) row.label = static_cast<int>(*label);
    if (!choice) return row;
    const auto best = answer.scores[static_cast<std::size_t>(answer.choice)];
    if (answer.scores[static_cast<std::size_t>(*choice)] != best) {
      refuse(fmt::format("the choice with the highest score, {}", answer.choice), fmt::format("{}", *choice));
    }
    row.choice = static_cast<int>(*choice);
    return row;
  }

  std::string id_of(JsonValue value) const {
    if (value.kind() == JsonValue::Kind::kInteger) return value.to_json();
    if (!value.is_text()) refuse("text as \"id\"", std::string(value.kind_name()));
    return std::string(value.text());
  }

  std::vector<double> scores_of(JsonValue list) const {
    if (!list.is_array()) refuse("a list as \"scores\"", std::string(list.kind_name()));
    std::vector<double> scores;
    for (const JsonValue member : list) {
      const bool is_whole = member.kind() == JsonValue::Kind::kInteger;
      if (!is_whole && member.kind() != JsonValue::Kind::kReal) {
        refuse("numbers in \"scores\"", std::string(member.kind_name()));
      }
      scores.push_back(is_whole ? static_cast<double>(member.integer()) : member.real());
    }
    return scores;
  }

  std::int64_t index_of(JsonValue value) const {
    if (value.kind() != JsonValue::Kind::kInteger) {
      refuse(fmt::format("a whole number as \"{}\"", value.key()), value.to_json());
    }
    return value.integer();
  }

  LineReader lines_;
  JsonDocument document_;
  std::size_t rows_ = 0;
  bool is_json_ = false;
};

/// Whether a file holds answers and not questions.
bool holds_answers(const FileStart& start) {
  if (start.is_folder) return false;
  if (start.json_has("scores")) return true;
  std::size_t line = 0;
  const auto lines = static_cast<std::size_t>(std::count(start.bytes.begin(), start.bytes.end(), '\n')) + 1;
  while (line < lines && start.line(line).find_first_not_of(" \t\r") == std::string_view::npos) ++line;
  std::string_view first = start.line(line);
  if (first.ends_with('\r')) first.remove_suffix(1);
  return parse_response(first).has_value();
}

std::span<const ScoredAnswer> first_rows(const ScoreFile& answers, std::uint64_t limit) {
  const std::span<const ScoredAnswer> rows(answers.answers);
  return limit == 0 || limit > rows.size() ? rows : rows.first(static_cast<std::size_t>(limit));
}

/// A score file's labels; COPA's responses are right answers themselves when they are called gold.
Gold gold_from(const ScoreFile& answers, std::uint64_t limit) {
  if (answers.has_scores) return gold_of(answers, limit);
  Gold gold{answers.name, {}, std::nullopt};
  for (const ScoredAnswer& row : first_rows(answers, limit)) {
    gold.questions.push_back({row.id, row.choices, row.choice});
  }
  return gold;
}

}  // namespace

ScoreFile read_score_file(std::unique_ptr<ByteSource> source) {
  AnswerReader reader(std::move(source));
  ScoreFile file{reader.name(), false, {}};
  std::unordered_map<std::string, std::size_t> lines;
  ScoredAnswer answer;
  while (reader.next(answer)) {
    const auto [first, is_new] = lines.emplace(answer.id, answer.line);
    if (!is_new) {
      throw UserError(Complaint{file.name, answer.line, "an id of its own for each row",
                                fmt::format("{}, which line {} has", in_quotes(answer.id), first->second), ""});
    }
    file.answers.push_back(answer);
  }
  if (file.answers.empty()) throw UserError(Complaint{file.name, 0, "answers", "an empty file", ""});
  file.has_scores = reader.is_json();
  return file;
}

ScoreFile read_score_file(const std::filesystem::path& path) { return read_score_file(open_input(path)); }

std::size_t Gold::labelled() const {
  return static_cast<std::size_t>(std::count_if(questions.begin(), questions.end(),
                                                [](const auto& question) { return question.label.has_value(); }));
}

double Gold::chance() const {
  double sum = 0;
  for (const GoldLabel& question : questions) {
    if (question.label) sum += 1 / static_cast<double>(question.choices);
  }
  return sum / static_cast<double>(labelled());
}

void check_gold(const Gold& gold) {
  std::unordered_set<std::string_view> ids;
  for (const GoldLabel& question : gold.questions) {
    if (!ids.insert(question.id).second) {
      throw UserError(Complaint{gold.name, 0, "an id of its own for each question", in_quotes(question.id) + " twice",
                                "Answers are matched by id"});
    }
  }
  if (gold.labelled() == 0) {
    throw UserError(Complaint{gold.name, 0, "labels", gold.questions.empty() ? "no questions" : "none",
                              "Say where the right answers are with --gold or --labels"});
  }
}

Gold gold_of(const ScoreFile& answers, std::uint64_t limit) {
  Gold gold{answers.name, {}, std::nullopt};
  for (const ScoredAnswer& row : first_rows(answers, limit)) gold.questions.push_back({row.id, row.choices, row.label});
  check_gold(gold);
  return gold;
}

Gold read_gold(const std::filesystem::path& path, const ReadOptions& options) {
  const std::filesystem::path found = find_data_file(path);
  const bool may_hold_answers = options.format.empty() && options.labels.empty();
  if (may_hold_answers && found == "-") return gold_from(read_score_file(found), options.limit);
  if (may_hold_answers) {
    StartedInput input = start_input(found);
    if (holds_answers(input.start)) return gold_from(read_score_file(std::move(input.source)), options.limit);
  }
  Gold gold{found.string(), {}, std::nullopt};
  gold.source = for_each_question(found, options, [&](const Question& question) {
    gold.questions.push_back({question.id, question.choices.size(), question.label});
  });
  check_gold(gold);
  return gold;
}

std::size_t Marks::correct() const { return static_cast<std::size_t>(std::count(right.begin(), right.end(), true)); }

namespace {

using ById = std::unordered_map<std::string_view, const ScoredAnswer*>;

[[noreturn]] void refuse_missing(const ScoreFile& answers, const Gold& gold, const ById& by_id) {
  std::size_t missing = 0;
  std::string_view first;
  for (const GoldLabel& question : gold.questions) {
    if (by_id.contains(question.id)) continue;
    if (missing++ == 0) first = question.id;
  }
  throw UserError(Complaint{
      answers.name, 0, fmt::format("an answer to each of the {} questions of {}", gold.questions.size(), gold.name),
      fmt::format("none to {} of them, the first {}", missing, in_quotes(first)), ""});
}

[[noreturn]] void refuse_extra(const ScoreFile& answers, const Gold& gold) {
  std::unordered_set<std::string_view> ids;
  for (const GoldLabel& question : gold.questions) ids.insert(question.id);
  const auto extra = std::find_if(answers.answers.begin(), answers.answers.end(),
                                  [&](const ScoredAnswer& row) { return !ids.contains(row.id); });
  ensure(extra != answers.answers.end(), "more answers than questions leave one over");
  throw UserError(Complaint{
      answers.name, extra->line, "ids of " + gold.name, in_quotes(extra->id),
      fmt::format("It has {} questions, and there are {} answers", gold.questions.size(), answers.answers.size())});
}

void check_match(const ScoreFile& answers, const ScoredAnswer& row, const Gold& gold, const GoldLabel& question) {
  if (row.choices != question.choices) {
    throw UserError(Complaint{answers.name, row.line, fmt::format("{} choices, as {} has", question.choices, gold.name),
                              fmt::format("{}", row.choices), "Do both files belong to the same questions?"});
  }
  if (row.label && question.label && *row.label != *question.label) {
    throw UserError(Complaint{answers.name, row.line,
                              fmt::format("the label {}, as {} has", *question.label, gold.name),
                              fmt::format("{}", *row.label), "Do both files belong to the same questions?"});
  }
}

}  // namespace

Marks mark(const ScoreFile& answers, const Gold& gold, Extras extras) {
  ById by_id;
  by_id.reserve(answers.answers.size());
  for (const ScoredAnswer& row : answers.answers) by_id.emplace(row.id, &row);
  Marks marks;
  for (const GoldLabel& question : gold.questions) {
    const auto found = by_id.find(question.id);
    if (found == by_id.end()) refuse_missing(answers, gold, by_id);
    const ScoredAnswer& row = *found->second;
    check_match(answers, row, gold, question);
    if (!question.label) continue;
    marks.right.push_back(row.choice == *question.label);
    if (row.tie) ++marks.ties;
  }
  if (extras == Extras::kRefused && answers.answers.size() > gold.questions.size()) refuse_extra(answers, gold);
  return marks;
}

}  // namespace gumption
