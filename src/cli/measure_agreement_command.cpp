#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gumption/measure/agreement.h"

#include "cli/command.h"
#include "cli/output.h"

namespace gumption::cli {

namespace {

struct State {
  std::vector<std::string> files;
  bool pairs = false;
};

/// All measures of one table.
struct Report {
  Ratings ratings;
  std::vector<RaterPair> pairs;
  std::optional<double> cohen;
  std::optional<double> fleiss;
  std::optional<double> krippendorff;
};

Report report_on(const std::string& file) {
  Report report;
  report.ratings = read_ratings(file);
  report.pairs = cohens_kappas(report.ratings);
  report.cohen = mean_kappa(report.pairs);
  report.fleiss = fleiss_kappa(report.ratings);
  report.krippendorff = krippendorff_alpha(report.ratings);
  return report;
}

nlohmann::ordered_json number_or_null(std::optional<double> value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

void print_as_json(const Report& report) {
  const Ratings& ratings = report.ratings;
  nlohmann::ordered_json json;
  json["cohen"] = number_or_null(report.cohen);
  json["fleiss"] = number_or_null(report.fleiss);
  json["krippendorff"] = number_or_null(report.krippendorff);
  json["raters"] = ratings.raters.size();
  json["items"] = ratings.items.size();
  json["labels"] = ratings.labels.size();
  json["ratings"] = ratings.count;
  json["missing"] = ratings.raters.size() * ratings.items.size() - ratings.count;
  json["pairs"] = nlohmann::ordered_json::array();
  for (const RaterPair& pair : report.pairs) {
    nlohmann::ordered_json entry;
    entry["first"] = ratings.raters[pair.first];
    entry["second"] = ratings.raters[pair.second];
    entry["items"] = pair.items;
    entry["cohen"] = number_or_null(pair.kappa);
    json["pairs"].push_back(std::move(entry));
  }
  print_json(json);
}

std::string to_cell(std::optional<double> value) { return value ? fmt::format("{:.3f}", *value) : "undefined"; }

void print_as_text(const Report& report, bool with_pairs) {
  const Ratings& ratings = report.ratings;
  Table table({"", "agreement"});
  table.add({fmt::format("Cohen's kappa, mean over {} pairs of raters", with_commas(report.pairs.size())),
             to_cell(report.cohen)});
  table.add({"Fleiss' kappa", to_cell(report.fleiss)});
  table.add({"Krippendorff's alpha", to_cell(report.krippendorff)});
  table.print();
  fmt::print("{} raters, {} items, {} labels, {} ratings ({} missing)\n", with_commas(ratings.raters.size()),
             with_commas(ratings.items.size()), with_commas(ratings.labels.size()), with_commas(ratings.count),
             with_commas(ratings.raters.size() * ratings.items.size() - ratings.count));
  if (!with_pairs) return;
  fmt::print("\n");
  Table pairs({"raters", "items", "Cohen's kappa"});
  for (const RaterPair& pair : report.pairs) {
    pairs.add({fmt::format("{}, {}", ratings.raters[pair.first], ratings.raters[pair.second]), with_commas(pair.items),
               to_cell(pair.kappa)});
  }
  pairs.print();
}

int run(const State& state, const CommonOptions& common) {
  const Report report = report_on(state.files.front());
  if (common.json) {
    print_as_json(report);
  } else {
    print_as_text(report, state.pairs);
  }
  return 0;
}

}  // namespace

Command measure_agreement_command() {
  auto state = std::make_shared<State>();
  Command command;
  command.name = "agreement";
  command.about = "Say how far raters agree: Cohen's and Fleiss' kappa, Krippendorff's alpha";
  command.examples = {"gumption measure agreement ratings.csv", "gumption measure agreement ratings.csv --pairs"};
  command.operands = {{"FILE", "Table with the columns rater, item and label", &state->files}};
  command.options.add("pairs", state->pairs, "List each pair of raters (JSON always does)");
  command.run = [state](const CommonOptions& common) { return run(*state, common); };
  return command;
}

}  // namespace gumption::cli
