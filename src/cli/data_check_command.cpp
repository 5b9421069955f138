#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gumption/data/check.h"

#include "cli/command.h"
#include "cli/output.h"

namespace gumption::cli {

namespace {

struct State {
  std::vector<std::string> files;
  ReadOptions read;
  CheckOptions check;
  bool strict = false;
  std::uint64_t show = 5;
};

void print_as_json(const CheckReport& report) {
  nlohmann::ordered_json json;
  json["findings"] = nlohmann::ordered_json::array();
  for (const Finding& finding : report.findings) {
    nlohmann::ordered_json entry;
    entry["kind"] = finding.kind;
    entry["file"] = finding.file;
    entry["line"] = finding.line;
    entry["message"] = finding.message;
    json["findings"].push_back(std::move(entry));
  }
  json["summary"] = nlohmann::ordered_json::object();
  for (const auto& kind : finding_kinds()) {
    const auto found = report.summary.find(kind);
    if (found != report.summary.end()) json["summary"][kind] = found->second;
  }
  json["questions"] = report.questions;
  print_json(json);
}

void print_as_text(const CheckReport& report, std::uint64_t most) {
  for (const auto& kind : finding_kinds()) {
    const auto total = report.summary.find(kind);
    if (total == report.summary.end()) continue;
    fmt::print("{} ({})\n", kind, with_commas(total->second));
    std::uint64_t shown = 0;
    for (const Finding& finding : report.findings) {
      if (finding.kind != kind || shown == most) continue;
      ++shown;
      const std::string place = finding.line == 0 ? finding.file : fmt::format("{}:{}", finding.file, finding.line);
      fmt::print("  {}: {}\n", place, finding.message);
    }
    if (total->second > shown) fmt::print("  … and {} more (--show N, --json)\n", with_commas(total->second - shown));
  }
  std::size_t findings = 0;
  for (const auto& [kind, count] : report.summary) findings += count;
  fmt::print("{} in {}: {}.\n", counted(report.questions, "question", "questions"),
             counted(report.sources.size(), "file", "files"),
             findings == 0 ? "nothing found" : counted(findings, "finding", "findings"));
}

}  // namespace

Command data_check_command() {
  auto state = std::make_shared<State>();
  Command command;
  command.name = "check";
  command.about = "Look for bad rows, duplicates, leaks between splits and give-aways";
  command.examples = {"gumption data check samples/*.jsonl",
                      "gumption data check train.jsonl dev.jsonl --strict --ignore none-of-the-above"};
  command.operands = {
      {"FILES", "Files of questions; each is a split unless its questions say theirs", &state->files, true, true}};
  command.options.add_all(describe(state->read)).add_all(describe(state->check));
  command.options.add("strict", state->strict, "Exit with 1 if anything is found");
  command.options.add("show", state->show, "Findings of a kind to show in the text form");
  command.run = [state](const CommonOptions& common) {
    ThreadPool pool(common.threads);
    const auto paths = to_paths(state->files);
    const CheckReport report = check_files(paths, state->read, state->check, pool);
    note_labels(common, report.sources);
    if (common.json) {
      print_as_json(report);
    } else {
      print_as_text(report, state->show);
    }
    return state->strict && !report.summary.empty() ? 1 : 0;
  };
  return command;
}

}  // namespace gumption::cli
