#include "cli/scoring.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gumption/base/build_info.h"
#include "gumption/base/error.h"
#include "gumption/cluster/cluster_options.h"
#include "gumption/data/catalogue.h"
#include "gumption/data/label_list.h"
#include "gumption/systems/model_systems.h"
#include "gumption/systems/registry.h"
#include "gumption/weights/model_store.h"

#include "cli/engine.h"
#include "cli/output.h"

namespace gumption::cli {

namespace fs = std::filesystem;

OptionSet describe(ScoringOptions& options) {
  std::vector<std::string> names;
  for (const SystemEntry& entry : systems()) names.push_back(entry.name);
  OptionSet set;
  set.add_choice("system", options.system, "System to ask (see `gumption systems`)", names);
  set.add_file("model", options.model, "Model to ask: a checkpoint's folder, or the name of a pulled one");
  set.add_choice("method", options.method, "How to ask it; by default what its head is made for", scoring_methods());
  set.add_file("data", options.data, "File of questions; - is standard input");
  set.add("set", options.settings, "An option of the system, as name=value");
  set.add("corpus", options.corpus, "Short for --set corpus=F: a count index, or text to count in");
  set.add_file("tokenizer", options.tokenizer, "Folder of the tokenizer, where the model's has none");
  set.add_choice("device", options.device, "Where the model runs (default cpu)", {"cpu", "cuda"});
  set.add_choice("precision", options.precision, "Numbers it computes with (default float32)", {"float32", "bfloat16"});
  set.add_choice("normalise", options.normalise, "What a likelihood is divided by or compared with (default none)",
                 {"none", "tokens", "chars", "prior"});
  set.add("seed", options.seed, "Short for --set seed=N");
  set.add("batch", options.batch,
          "Questions to ask at a time; 0: what suits the system. The answers don't depend on it", {0, 1'000'000});
  set.add_all(describe(options.read));
  return set;
}

std::string system_name(const ScoringOptions& options) {
  if (!options.system.empty()) {
    if (!options.method.empty()) throw UsageError("--method is another word for --system: give one of them.");
    return options.system;
  }
  if (options.model.empty()) {
    throw UsageError("--system or --model is required. `gumption systems` and `gumption model list` list them.");
  }
  return options.method.empty() ? system_for_model(options.model) : system_for_method(options.method, options.model);
}

namespace {

/// Whether the system counts in text, which several processes can share.
bool counts_in_text(const ScoringOptions& options) {
  return !options.system.empty() && system_entry(options.system).setup()->describe().find("corpus") != nullptr;
}

}  // namespace

bool only_helps(const ScoringOptions& options) {
  return counts_in_text(options) && ClusterOptions::from_environment().rank > 0;
}

bool needs_engine(const ScoringOptions& options) {
  if (counts_in_text(options) && is_one_of_several()) return true;
  return options.system.empty() ? !options.model.empty() : system_entry(options.system).asks_model;
}

namespace {

/// Flags that are short for one of the system's options.
struct Shorthand {
  const char* name;
  std::string value;
};

std::vector<Shorthand> shorthands(const ScoringOptions& options) {
  std::vector<Shorthand> all;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) all.push_back({name, value});
  };
  add("model", options.model);
  add("tokenizer", options.tokenizer);
  add("device", options.device);
  add("precision", options.precision);
  add("normalise", options.normalise);
  if (options.details) add("details", "true");
  for (const auto& corpus : options.corpus) add("corpus", corpus);
  return all;
}

std::unique_ptr<System> make_system(const ScoringOptions& options) {
  const std::string name = system_name(options);
  const auto setup = system_entry(name).setup();
  const OptionSet described = setup->describe();
  try {
    for (const auto& setting : options.settings) described.assign(setting);
    for (const Shorthand& shorthand : shorthands(options)) {
      if (described.find(shorthand.name) == nullptr) {
        throw UsageError(fmt::format("--{}: the system {} has no such option.", shorthand.name, name));
      }
      described.set(shorthand.name, shorthand.value);
    }
    if (options.threads > 0 && described.find("threads") != nullptr) {
      described.set("threads", std::to_string(options.threads));
    }
    if (options.seed && described.find("seed") != nullptr) described.set("seed", std::to_string(*options.seed));
  } catch (const UsageError&) {
    throw;
  } catch (const UserError& error) {
    throw UsageError(fmt::format("--set, for the system {}: {}", name, error.what()));
  }
  return setup->make();
}

/// A file's size and time, which change when its content does.
nlohmann::ordered_json state_of(const fs::path& path) {
  std::error_code none;
  nlohmann::ordered_json state;
  state["path"] = path.string();
  state["size"] = fs::is_regular_file(path, none) ? fs::file_size(path, none) : 0;
  state["time"] = fs::last_write_time(path, none).time_since_epoch().count();
  return state;
}

/// Adds the state of what an option's value names: a file, or a folder's entries. Other values name nothing.
void add_state(nlohmann::ordered_json& states, const fs::path& path) {
  std::error_code none;
  if (fs::is_regular_file(path, none)) states.push_back(state_of(path));
  if (!fs::is_directory(path, none)) return;
  std::vector<fs::path> entries;
  for (const auto& entry : fs::directory_iterator(path)) entries.push_back(entry.path());
  std::sort(entries.begin(), entries.end());
  for (const fs::path& entry : entries) states.push_back(state_of(entry));
}

}  // namespace

std::string description_of_run(const ScoringOptions& options) {
  nlohmann::ordered_json json;
  json["system"] = system_name(options);
  json["settings"] = options.settings;
  json["files"] = nlohmann::ordered_json::array();
  for (const std::string& setting : options.settings) {
    add_state(json["files"], setting.substr(setting.find('=') + 1));
  }
  for (const Shorthand& shorthand : shorthands(options)) {
    json["options"].push_back({shorthand.name, shorthand.value});
    add_state(json["files"], shorthand.value);
  }
  if (!options.model.empty()) add_state(json["files"], find_model(options.model));
  if (options.seed) json["seed"] = *options.seed;
  const fs::path data = find_data_file(options.data);
  json["data"] = state_of(data);
  // What came through a pipe is gone: no later run is the same one.
  if (data == "-") json["started"] = std::chrono::system_clock::now().time_since_epoch().count();
  json["format"] = options.read.format;
  json["labels"] = state_of(options.read.labels.empty() ? label_list_beside(data) : fs::path(options.read.labels));
  json["limit"] = options.read.limit;
  json["version"] = build_info().version;
  nlohmann::ordered_json line;
  line["gumption_scores_of"] = std::move(json);
  return line.dump();
}

ScoringResult score_questions(const ScoringOptions& options, const std::function<void(const Scored&)>& take,
                              const AnsweredIds& answered_before) {
  if (options.data.empty()) throw UsageError("--data is required: a file of questions.");
  const auto system = make_system(options);
  const auto answer = [&](std::span<const Question> questions) {
    const auto answers = system->answer(questions);
    ensure(answers.size() == questions.size(), "a system answers every question");
    take({questions, answers});
  };
  // A person waits in front of a slow model's progress line; a quick system's batches are large for speed.
  const std::uint64_t suits = needs_engine(options) ? 64 : 256;
  const std::uint64_t batch_size = options.batch == 0 ? suits : options.batch;
  std::vector<Question> batch;
  AnsweredIds seen;
  const bool all_first = system->wants_questions_first();
  ScoringResult result;
  const auto take_question = [&](const Question& question) {
    if (seen.count < answered_before.count) {
      seen.add(question.id);
      if (seen.count == answered_before.count && seen != answered_before) {
        throw UserError(Complaint{options.data, 0, "the questions that were answered before", "others",
                                  "Remove the .partial file beside --out to start anew"});
      }
      return;
    }
    batch.push_back(question);
    if (all_first || batch.size() < batch_size) return;
    answer(batch);
    batch.clear();
  };
  result.source = for_each_question(options.data, options.read, take_question,
                                    [&](const SourceFile& source) { system->note_format(source.format); });
  if (all_first) system->prepare(batch);
  const std::span<const Question> left = batch;
  for (std::size_t at = 0; at < left.size(); at += batch_size) {
    answer(left.subspan(at, std::min<std::size_t>(batch_size, left.size() - at)));
  }
  result.note = system->note();
  result.truncated = system->truncated();
  return result;
}

void print_notes(const CommonOptions& common, const ScoringResult& result) {
  if (!result.note.empty()) print_note(common, result.note);
  if (common.quiet || result.truncated == 0) return;
  fmt::print(stderr, "gumption: {} texts were longer than the model (or max_length) takes, and were cut.\n",
             result.truncated);
}

}  // namespace gumption::cli
