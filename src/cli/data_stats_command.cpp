#include <functional>
#include <memory>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gumption/data/catalogue.h"
#include "gumption/data/event_format.h"
#include "gumption/data/statistics.h"

#include "cli/command.h"
#include "cli/output.h"

namespace gumption::cli {

namespace {

struct State {
  std::vector<std::string> files;
  ReadOptions read;
  std::uint64_t prefixes = 10;
};

nlohmann::ordered_json to_json(const PartStatistics& part) {
  nlohmann::ordered_json json;
  json["mean_tokens"] = part.mean_tokens;
  json["max_tokens"] = part.max_tokens;
  json["unique_tokens"] = part.unique_tokens;
  return json;
}

nlohmann::ordered_json to_json(const DatasetStatistics& statistics) {
  nlohmann::ordered_json json;
  json["file"] = statistics.name;
  json["questions"] = statistics.questions;
  json["labelled"] = statistics.labelled;
  json["contexts"] = statistics.contexts;
  json["context"] = to_json(statistics.context);
  json["question"] = to_json(statistics.question);
  json["answers"] = to_json(statistics.answers);
  json["correct"] = to_json(statistics.correct);
  json["correct"]["mean_frequency"] = statistics.correct_frequency;
  json["incorrect"] = to_json(statistics.incorrect);
  json["incorrect"]["mean_frequency"] = statistics.incorrect_frequency;
  json["with_none_of_the_above"] = statistics.with_none_of_the_above;
  json["unanswerable"] = statistics.unanswerable;
  json["answers_in_context"] = statistics.answers_in_context;
  for (const auto& [choices, count] : statistics.choices) json["choices"][std::to_string(choices)] = count;
  json["question_types"] = statistics.question_types;
  json["categories"] = statistics.categories;
  json["asks_for"] = statistics.asks_for;
  json["question_prefixes"] = nlohmann::ordered_json::array();
  for (const auto& entry : statistics.question_prefixes) {
    nlohmann::ordered_json prefix;
    prefix["prefix"] = entry.prefix;
    prefix["count"] = entry.count;
    json["question_prefixes"].push_back(std::move(prefix));
  }
  return json;
}

using Columns = std::vector<DatasetStatistics>;

void add_row(Table& table, const std::string& name, const Columns& columns,
             const std::function<std::string(const DatasetStatistics&)>& cell) {
  std::vector<std::string> row = {name};
  for (const auto& column : columns) row.push_back(cell(column));
  table.add(std::move(row));
}

std::string lengths(const PartStatistics& part) {
  return part.count == 0 ? "–" : fmt::format("{:.2f} / {}", part.mean_tokens, part.max_tokens);
}

std::string share_of(std::size_t part, std::size_t whole) {
  return whole == 0 ? "–"
                    : fmt::format("{} ({})", with_commas(part),
                                  percent(static_cast<double>(part) / static_cast<double>(whole)));
}

/// Rows for one kind of note, where any file has it.
void add_counts(Table& table, const std::string& heading, const Columns& columns,
                const std::function<const std::map<std::string, std::size_t>&(const DatasetStatistics&)>& counts) {
  std::set<std::string> names;
  for (const auto& column : columns) {
    for (const auto& [name, count] : counts(column)) names.insert(name);
  }
  if (names.empty()) return;
  table.add_heading(heading);
  for (const auto& name : names) {
    add_row(table, "  " + name, columns, [&](const DatasetStatistics& column) {
      const auto found = counts(column).find(name);
      return found == counts(column).end() ? "–" : share_of(found->second, column.questions);
    });
  }
}

void print_as_text(const Columns& columns) {
  std::vector<std::string> header = {""};
  for (const auto& column : columns) header.push_back(column.name);
  Table table(header);
  add_row(table, "questions", columns, [](const auto& c) { return with_commas(c.questions); });
  add_row(table, "distinct contexts", columns, [](const auto& c) { return with_commas(c.contexts); });
  table.add_heading("tokens, mean / longest");
  add_row(table, "  context", columns, [](const auto& c) { return lengths(c.context); });
  add_row(table, "  question", columns, [](const auto& c) { return lengths(c.question); });
  add_row(table, "  answers", columns, [](const auto& c) { return lengths(c.answers); });
  add_row(table, "  correct answers", columns, [](const auto& c) { return lengths(c.correct); });
  add_row(table, "  incorrect answers", columns, [](const auto& c) { return lengths(c.incorrect); });
  table.add_heading("distinct tokens");
  add_row(table, "  context", columns, [](const auto& c) { return with_commas(c.context.unique_tokens); });
  add_row(table, "  question", columns, [](const auto& c) { return with_commas(c.question.unique_tokens); });
  add_row(table, "  answers", columns, [](const auto& c) { return with_commas(c.answers.unique_tokens); });
  add_row(table, "  correct answers", columns, [](const auto& c) { return with_commas(c.correct.unique_tokens); });
  add_row(table, "  incorrect answers", columns, [](const auto& c) { return with_commas(c.incorrect.unique_tokens); });
  table.add_heading("mean frequency of an answer");
  add_row(table, "  correct", columns, [](const auto& c) { return fmt::format("{:.2f}", c.correct_frequency); });
  add_row(table, "  incorrect", columns, [](const auto& c) { return fmt::format("{:.2f}", c.incorrect_frequency); });
  add_row(table, "\"none of the above\" among the choices", columns,
          [](const auto& c) { return share_of(c.with_none_of_the_above, c.questions); });
  add_row(table, "… and right (unanswerable)", columns,
          [](const auto& c) { return share_of(c.unanswerable, c.labelled); });
  add_row(table, "correct answers whose words stand in the context", columns,
          [](const auto& c) { return share_of(c.answers_in_context, c.labelled); });
  add_counts(table, "question types", columns, [](const auto& c) -> const auto& { return c.question_types; });
  add_counts(table, "categories", columns, [](const auto& c) -> const auto& { return c.categories; });
  add_counts(table, "asks for", columns, [](const auto& c) -> const auto& { return c.asks_for; });
  table.print();
}

void print_prefixes(const DatasetStatistics& statistics) {
  if (statistics.question_prefixes.empty()) return;
  Table table({"\nquestions start with", "share"});
  for (const auto& entry : statistics.question_prefixes) {
    table.add({"  " + entry.prefix, share_of(entry.count, statistics.question.count)});
  }
  table.print();
}

int print_events(const std::vector<std::filesystem::path>& files, const ReadOptions& read, bool as_json) {
  auto all = nlohmann::ordered_json::array();
  for (const auto& file : files) {
    EventStatisticsCollector collector;
    const EventFormat& format = for_each_event(
        file, read.format, [&](const Event& event) { collector.add(event); }, read.limit);
    const EventStatistics& statistics = collector.result();
    nlohmann::ordered_json json;
    json["file"] = file.string();
    json["format"] = format.name;
    json["rows"] = statistics.rows;
    json["events"] = statistics.events;
    Table table({"dimension", "events", "inferences", "\"none\""});
    for (const auto& [name, dimension] : statistics.dimensions) {
      json["dimensions"][name] = {
          {"events", dimension.events}, {"inferences", dimension.values}, {"none", dimension.none}};
      table.add({name, with_commas(dimension.events), with_commas(dimension.values), with_commas(dimension.none)});
    }
    all.push_back(std::move(json));
    if (as_json) continue;
    fmt::print("{} ({}): {} rows, {} distinct events\n", file.string(), format.name, with_commas(statistics.rows),
               with_commas(statistics.events));
    table.print();
  }
  if (as_json) print_json({{"events", all}});
  return 0;
}

bool holds_events(const std::filesystem::path& path) {
  const auto start = start_input(find_data_file(path)).start;
  return guess_question_format(start) == nullptr && guess_event_format(start) != nullptr;
}

int run(const State& state, const CommonOptions& common) {
  const auto paths = to_paths(state.files);
  const bool guessed = state.read.format.empty() && paths.front() != "-" && holds_events(paths.front());
  if (guessed || find_event_format(state.read.format) != nullptr) return print_events(paths, state.read, common.json);
  StatisticsCollector all;
  Columns columns;
  std::vector<SourceFile> sources;
  for (const auto& path : paths) {
    StatisticsCollector collector;
    sources.push_back(for_each_question(path, state.read, [&](const Question& question) {
      collector.add(question);
      if (paths.size() > 1) all.add(question);
    }));
    columns.push_back(collector.result(path.filename().string(), state.prefixes));
  }
  if (paths.size() > 1) columns.push_back(all.result("all", state.prefixes));
  note_labels(common, sources);
  if (common.json) {
    nlohmann::ordered_json json;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      auto entry = to_json(columns[i]);
      if (i < sources.size()) {
        entry["file"] = sources[i].path.string();
        entry["format"] = sources[i].format;
        json["files"].push_back(std::move(entry));
      } else {
        json["all"] = std::move(entry);
      }
    }
    print_json(json);
    return 0;
  }
  print_as_text(columns);
  print_prefixes(columns.back());
  return 0;
}

}  // namespace

Command data_stats_command() {
  auto state = std::make_shared<State>();
  Command command;
  command.name = "stats";
  command.about = "Describe questions as the papers' tables do: lengths, vocabulary, types, prefixes";
  command.examples = {"gumption data stats train.jsonl dev.jsonl", "gumption data stats valid.csv --json"};
  command.operands = {{"FILES", "Files of questions, or of events", &state->files, true, true}};
  command.options.add_all(describe(state->read));
  command.options.add("prefixes", state->prefixes, "How many of the most frequent question beginnings to list");
  command.run = [state](const CommonOptions& common) { return run(*state, common); };
  return command;
}

}  // namespace gumption::cli
