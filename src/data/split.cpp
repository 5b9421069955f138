#include "gumption/data/split.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gumption/base/atomic_folder.h"
#include "gumption/base/build_info.h"
#include "gumption/base/checksum.h"
#include "gumption/base/error.h"
#include "gumption/base/random.h"
#include "gumption/data/formats/native.h"

namespace gumption {

namespace fs = std::filesystem;

OptionSet describe(SplitOptions& options) {
  OptionSet set;
  set.add_choice("by", options.by,
                 "How to divide; if not said, as --group-by or --stratify-by ask, else folds "
                 "stratified and parts random",
                 {"random", "stratified", "group"});
  set.add_choice("group_by", options.group_by, "What must not stand in two parts (with --by group alone: context)",
                 {"context", "source_event", "author"});
  set.add_choice("stratify_by", options.stratify_by,
                 "What each part has the same share of (with --by stratified alone: category)",
                 {"category", "question_type", "asks_for", "label"});
  set.add("parts", options.parts, "Names and shares of the parts; if not said, train=.8,dev=.1,test=.1");
  set.add("folds", options.folds, "Make N folds instead of parts", {0, 1000});
  set.add("fractions", options.fractions, "Make nested samples of these shares instead of parts", {0, 1});
  set.add("seed", options.seed, "Seed of the shuffle");
  return set;
}

namespace {

struct Share {
  std::string name;
  double share = 0;
};

std::vector<Share> parse_parts(const std::string& text) {
  std::vector<Share> shares;
  double sum = 0;
  for (const auto part : split_text(text, ',')) {
    const std::size_t equals = part.find('=');
    const auto share = equals == std::string_view::npos ? std::nullopt : parse_number(part.substr(equals + 1));
    if (!share || !(*share > 0) || *share > 1 || equals == 0) {
      throw UsageError(
          fmt::format("--parts: expected name=share with a share between 0 and 1, found {}.", in_quotes(part)));
    }
    const std::string name(part.substr(0, equals));
    if (name.find('/') != std::string::npos || name == "manifest") {
      throw UsageError(fmt::format("--parts: expected a plain name for a part, found {}.", in_quotes(name)));
    }
    for (const Share& other : shares) {
      if (other.name == name) throw UsageError(fmt::format("--parts: the name {} stands twice.", in_quotes(name)));
    }
    shares.push_back({name, *share});
    sum += *share;
  }
  if (std::abs(sum - 1) > 1e-6)
    throw UsageError(fmt::format("--parts: expected shares that add up to 1, found {:g}.", sum));
  return shares;
}

/// What a question is grouped or stratified by; empty where it doesn't say.
std::string key_of(const Question& question, const std::string& what) {
  if (what == "context") return comparable(question.context);
  if (what == "source_event") return comparable(question.notes.source_event);
  if (what == "author") return question.notes.author;
  if (what == "category") return question.notes.category;
  if (what == "question_type") return question.notes.question_type;
  if (what == "asks_for") return question.notes.asks_for ? std::string(to_text(*question.notes.asks_for)) : "";
  return question.label ? std::to_string(*question.label) : "";
}

/// Questions by their key, keys in the order in which they first occur.
std::vector<std::vector<std::size_t>> groups_of(const std::vector<Question>& questions, const std::string& what,
                                                bool every_one_needs_a_key) {
  std::map<std::string, std::size_t> numbers;
  std::vector<std::vector<std::size_t>> groups;
  bool any = false;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const std::string key = key_of(questions[i], what);
    any |= !key.empty();
    if (key.empty() && every_one_needs_a_key) {
      throw UserError(fmt::format("Question {} has no {} to keep together with others. Choose another --group-by.",
                                  in_quotes(questions[i].id), what));
    }
    const auto [found, is_new] = numbers.emplace(key, groups.size());
    if (is_new) groups.emplace_back();
    groups[found->second].push_back(i);
  }
  if (!any && !questions.empty()) {
    throw UserError(fmt::format("No question has a {}. Choose another --stratify-by, or --by random.", what));
  }
  return groups;
}

/// Divides a number by the shares into whole numbers. What rounding took from a part is kept in `owed` and given back
/// when the next number is divided, so that the sums are fair too.
std::vector<std::size_t> apportion(std::size_t total, const std::vector<Share>& shares, std::vector<double>& owed) {
  std::vector<std::size_t> counts(shares.size());
  std::vector<std::size_t> order(shares.size());
  std::size_t given = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    owed[i] += shares[i].share * static_cast<double>(total);
    counts[i] = static_cast<std::size_t>(std::max(0.0, std::floor(owed[i] + 1e-9)));
    owed[i] -= static_cast<double>(counts[i]);
    given += counts[i];
  }
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return owed[a] > owed[b]; });
  for (std::size_t i = 0; given < total; ++i, ++given) {
    ++counts[order[i % order.size()]];
    --owed[order[i % order.size()]];
  }
  // Debts can make the whole parts add up to one too many: the least deserving gives it back.
  for (std::size_t i = order.size(); given > total; --given) {
    do {
      i = i == 0 ? order.size() - 1 : i - 1;
    } while (counts[order[i]] == 0);
    --counts[order[i]];
    ++owed[order[i]];
  }
  return counts;
}

/// Gives every part its share of each stratum, by chance within it.
void deal_strata(std::vector<std::vector<std::size_t>> strata, const std::vector<Share>& shares, RandomStream& random,
                 std::vector<Part>& parts) {
  std::vector<double> owed(shares.size(), 0);
  for (auto& stratum : strata) {
    shuffle(stratum, random);
    const auto counts = apportion(stratum.size(), shares, owed);
    auto next = stratum.begin();
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto end = next + static_cast<std::ptrdiff_t>(counts[i]);
      parts[i].questions.insert(parts[i].questions.end(), next, end);
      next = end;
    }
  }
}

/// Gives each group, whole, to the part that lacks most of its share; large groups first, so that the small ones can
/// even things out.
void deal_groups(std::vector<std::vector<std::size_t>> groups, const std::vector<Share>& shares, RandomStream& random,
                 std::vector<Part>& parts) {
  std::size_t total = 0;
  for (const auto& group : groups) total += group.size();
  std::vector<double> missing;
  for (const Share& share : shares) missing.push_back(share.share * static_cast<double>(total));
  shuffle(groups, random);
  std::stable_sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
  for (const auto& group : groups) {
    const auto neediest = static_cast<std::size_t>(std::max_element(missing.begin(), missing.end()) - missing.begin());
    missing[neediest] -= static_cast<double>(group.size());
    auto& questions = parts[neediest].questions;
    questions.insert(questions.end(), group.begin(), group.end());
  }
}

std::vector<std::vector<std::size_t>> one_stratum(std::size_t questions) {
  std::vector<std::vector<std::size_t>> strata(1, std::vector<std::size_t>(questions));
  std::iota(strata[0].begin(), strata[0].end(), std::size_t{0});
  return strata;
}

/// One order of all questions in which every prefix is a fair sample; nested fractions are its prefixes.
std::vector<std::size_t> sampling_order(const std::vector<Question>& questions, const SplitOptions& options,
                                        RandomStream& random) {
  std::vector<std::vector<std::size_t>> groups;
  if (options.by == "random") {
    groups = one_stratum(questions.size());
  } else {
    groups =
        groups_of(questions, options.by == "group" ? options.group_by : options.stratify_by, options.by == "group");
  }
  if (options.by == "group") {
    shuffle(groups, random);
    std::vector<std::size_t> order;
    for (const auto& group : groups) order.insert(order.end(), group.begin(), group.end());
    return order;
  }
  // Interleave the strata: the k-th of n in a stratum belongs at (k + ½)/n of the way.
  struct Placed {
    double place;
    std::size_t question;
  };
  std::vector<Placed> placed;
  for (auto& group : groups) {
    shuffle(group, random);
    for (std::size_t k = 0; k < group.size(); ++k) {
      placed.push_back({(static_cast<double>(k) + 0.5) / static_cast<double>(group.size()), group[k]});
    }
  }
  std::stable_sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) { return a.place < b.place; });
  std::vector<std::size_t> order;
  for (const Placed& entry : placed) order.push_back(entry.question);
  return order;
}

std::vector<Part> nested_samples(const std::vector<Question>& questions, const SplitOptions& options,
                                 RandomStream& random) {
  const auto order = sampling_order(questions, options, random);
  std::vector<Part> parts;
  for (const double fraction : options.fractions) {
    if (fraction <= 0) throw UsageError(fmt::format("--fractions: expected shares above 0, found {:g}.", fraction));
    auto count = static_cast<std::size_t>(std::llround(fraction * static_cast<double>(questions.size())));
    if (options.by == "group") {
      // Never cut a group: go on to its end.
      const auto key = [&](std::size_t i) { return key_of(questions[order[i]], options.group_by); };
      while (count > 0 && count < order.size() && key(count) == key(count - 1)) ++count;
    }
    Part part{fmt::format("fraction-{:g}", 100 * fraction),
              {order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count)}};
    for (const Part& other : parts) {
      if (other.name == part.name) throw UsageError(fmt::format("--fractions: {:g} stands twice.", fraction));
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

std::vector<Share> fold_shares(std::uint64_t folds) {
  std::vector<Share> shares;
  for (std::uint64_t i = 0; i < folds; ++i)
    shares.push_back({fmt::format("fold-{}", i), 1.0 / static_cast<double>(folds)});
  return shares;
}

}  // namespace

SplitOptions resolve_split(const std::vector<Question>& questions, const SplitOptions& given) {
  SplitOptions options = given;
  if ((options.folds > 0) + (!options.fractions.empty()) + (!options.parts.empty()) > 1) {
    throw UsageError("Give one of --parts, --folds and --fractions.");
  }
  if (options.folds == 1) throw UsageError("--folds: expected 2 or more, found 1.");
  const bool groups = !options.group_by.empty();
  const bool strata = !options.stratify_by.empty();
  if ((groups && strata) || (groups && !options.by.empty() && options.by != "group") ||
      (strata && !options.by.empty() && options.by != "stratified")) {
    throw UsageError("--by, --group-by and --stratify-by ask for different things. Give one of them.");
  }
  if (groups) options.by = "group";
  if (strata) options.by = "stratified";
  if (!groups) options.group_by = "context";
  if (!strata) options.stratify_by = "category";
  if (options.parts.empty()) options.parts = "train=.8,dev=.1,test=.1";
  if (options.by.empty()) {
    const bool has_notes = std::any_of(questions.begin(), questions.end(), [&](const Question& question) {
      return !key_of(question, options.stratify_by).empty();
    });
    options.by = options.folds > 0 && has_notes ? "stratified" : "random";
  }
  return options;
}

std::vector<Part> split_questions(const std::vector<Question>& questions, const SplitOptions& given) {
  const SplitOptions options = resolve_split(questions, given);
  if (options.folds > questions.size()) {
    throw UserError(fmt::format("--folds: expected at most one for each of the {} questions, found {}.",
                                questions.size(), options.folds));
  }
  RandomStream random(options.seed, "split");
  std::vector<Part> parts;
  if (!options.fractions.empty()) {
    parts = nested_samples(questions, options, random);
  } else {
    const auto shares = options.folds > 0 ? fold_shares(options.folds) : parse_parts(options.parts);
    for (const Share& share : shares) parts.push_back({share.name, {}});
    if (options.by == "group") {
      deal_groups(groups_of(questions, options.group_by, true), shares, random, parts);
    } else if (options.by == "stratified") {
      deal_strata(groups_of(questions, options.stratify_by, false), shares, random, parts);
    } else {
      deal_strata(one_stratum(questions.size()), shares, random, parts);
    }
  }
  for (Part& part : parts) std::sort(part.questions.begin(), part.questions.end());
  return parts;
}

namespace {

nlohmann::ordered_json manifest_of(const Dataset& dataset, const SplitOptions& options) {
  nlohmann::ordered_json manifest;
  manifest["made_by"] = "gumption " + build_info().version;
  manifest["by"] = options.by;
  if (options.by == "group") manifest["group_by"] = options.group_by;
  if (options.by == "stratified") manifest["stratify_by"] = options.stratify_by;
  if (options.folds > 0) {
    manifest["folds"] = options.folds;
  } else if (!options.fractions.empty()) {
    manifest["fractions"] = options.fractions;
  } else {
    manifest["shares"] = options.parts;
  }
  manifest["seed"] = options.seed;
  manifest["questions"] = dataset.questions.size();
  manifest["sources"] = nlohmann::ordered_json::array();
  for (const SourceFile& source : dataset.sources) {
    nlohmann::ordered_json entry;
    entry["file"] = source.path.string();
    entry["format"] = source.format;
    if (!source.labels.empty()) entry["labels"] = source.labels.string();
    entry["questions"] = source.questions;
    manifest["sources"].push_back(std::move(entry));
  }
  return manifest;
}

bool has_checksums() {
  for (const Feature& feature : build_info().features) {
    if (feature.name == "checksums") return feature.built_in;
  }
  return false;
}

}  // namespace

void write_parts(const Dataset& dataset, const std::vector<Part>& parts, const SplitOptions& options,
                 const fs::path& out) {
  AtomicFolder folder(out);
  auto manifest = manifest_of(dataset, resolve_split(dataset.questions, options));
  for (const Part& part : parts) {
    const std::string name = part.name + ".jsonl";
    const auto writer = native_format().create(folder.filling() / name);
    for (const std::size_t question : part.questions) writer->write(dataset.questions[question]);
    writer->commit();
    nlohmann::ordered_json entry;
    entry["file"] = name;
    entry["questions"] = part.questions.size();
    if (has_checksums()) entry["sha256"] = sha256_of_file(folder.filling() / name);
    manifest["parts"].push_back(std::move(entry));
  }
  // A source's file name need not be UTF-8.
  write_file(folder.filling() / "manifest.json",
             manifest.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
  folder.commit();
}

}  // namespace gumption
