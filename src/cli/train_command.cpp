#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gumption/base/error.h"
#include "gumption/base/files.h"
#include "gumption/base/progress.h"
#include "gumption/base/random.h"
#include "gumption/cluster/process_group.h"
#include "gumption/data/dataset.h"
#include "gumption/systems/training.h"

#include "cli/command.h"
#include "cli/output.h"

namespace gumption::cli {

namespace {

struct State {
  std::string system;
  std::string model;
  std::string data;
  std::string dev;
  std::vector<std::string> text;
  std::string out;
  bool resume = false;
  std::vector<std::string> settings;  // name=value
  std::string tokenizer;
  std::string device;
  std::string precision;
  std::string dev_labels;
  ReadOptions read;
  std::vector<std::string> training;  // the trainer's options that were given, as name=value
};

/// Every option of the trainer as a flag that notes what it was given: defaults differ between systems.
OptionSet trainer_flags(std::vector<std::string>& given) {
  TrainOptions defaults;
  OptionSet flags;
  for (const Option& option : describe(defaults).options()) {
    Option flag = option;
    flag.set = [name = option.name, &given](std::string_view value) {
      TrainOptions checked;
      describe(checked).set(name, value);
      given.push_back(fmt::format("{}={}", name, value));
    };
    flags.add_option(std::move(flag));
  }
  return flags;
}

std::unique_ptr<TrainingSetup> make_setup(const State& state, const CommonOptions& common) {
  auto setup = trainable_entry(state.system).setup();
  const OptionSet options = setup->describe();
  const auto set = [&](const char* name, const std::string& value) {
    if (!value.empty()) options.set(name, value);
  };
  set("model", state.model);
  set("tokenizer", state.tokenizer);
  set("device", state.device);
  set("precision", state.precision);
  if (common.threads != 0) set("threads", std::to_string(common.threads));
  for (const std::string& setting : state.training) options.assign(setting);
  for (const std::string& setting : state.settings) options.assign(setting);
  return setup;
}

// Data ------------------------------------------------------------------------------------------------------------

void require_labels(const Dataset& dataset, const std::string& file) {
  for (const Question& question : dataset.questions) {
    if (question.label) continue;
    throw UserError(Complaint{file, 0, "a label for every question", fmt::format("none for {}", in_quotes(question.id)),
                              "Give the labels with --labels (or --dev-labels)"});
  }
  if (dataset.questions.empty()) throw UserError(Complaint{file, 0, "questions", "none", ""});
}

std::string fingerprint(const Question& question) {
  std::string text = comparable(question.context) + "\n" + comparable(question.question);
  for (const std::string& choice : question.choices) text += "\n" + comparable(choice);
  return text;
}

void note_shared(const CommonOptions& common, const State& state, const TrainingData& data) {
  std::set<std::uint64_t> seen;
  for (const Question& question : data.questions) seen.insert(stable_hash(fingerprint(question)));
  const auto shared = std::count_if(data.dev.begin(), data.dev.end(), [&](const Question& question) {
    return seen.contains(stable_hash(fingerprint(question)));
  });
  if (shared == 0) return;
  print_note(common, fmt::format("{} of the {} of {} {} in {} too: what is measured on them says little.",
                                 with_commas(static_cast<std::size_t>(shared)),
                                 counted(data.dev.size(), "question", "questions"), state.dev,
                                 shared == 1 ? "stands" : "stand", state.data));
}

/// Files by name and content, so that a run doesn't go on with other ones.
std::string described(const std::string& file, std::span<const Question> questions) {
  if (file.empty()) return {};
  std::uint64_t hash = 0;
  for (const Question& question : questions) {
    hash = stable_hash(fingerprint(question) + std::to_string(question.label.value_or(-1)), hash);
  }
  return fmt::format("{} ({} questions, {:016x})", file, questions.size(), hash);
}

std::string described(const std::vector<std::string>& files) {
  std::string all;
  for (const std::string& file : files) {
    const MappedFile bytes(file);
    all += fmt::format("{}{} ({} bytes, {:016x})", all.empty() ? "" : ", ", file, bytes.bytes().size(),
                       stable_hash(bytes.bytes()));
  }
  return all;
}

TrainingData read_questions(const State& state, const CommonOptions& common) {
  if (state.data.empty()) throw UsageError("--data is required: a file of questions to learn from.");
  const Dataset train = read_dataset(state.data, state.read);
  note_labels(common, train.sources);
  require_labels(train, state.data);
  TrainingData data;
  data.questions = train.questions;
  data.format = train.sources.front().format;
  if (!state.dev.empty()) {
    const Dataset dev = read_dataset(state.dev, {state.read.format, state.dev_labels, 0});
    note_labels(common, dev.sources);
    require_labels(dev, state.dev);
    data.dev = dev.questions;
    note_shared(common, state, data);
  }
  return data;
}

TrainingData read_training_data(const State& state, const CommonOptions& common) {
  if (state.dev.empty() && !state.dev_labels.empty())
    throw UsageError("--dev-labels are those of --dev, which isn't given.");
  if (!trainable_entry(state.system).learns_from_text) {
    if (!state.text.empty()) throw UsageError(fmt::format("--text: {} learns from questions: --data.", state.system));
    return read_questions(state, common);
  }
  if (!state.data.empty()) throw UsageError(fmt::format("--data: {} learns from text: --text.", state.system));
  if (state.text.empty()) throw UsageError("--text is required: files of plain text to learn from.");
  if (state.read.limit != 0) throw UsageError("--limit counts questions; text has none. Take --steps.");
  if (!state.dev_labels.empty()) throw UsageError("--dev-labels: text has no labels.");
  TrainingData data;
  data.texts = state.text;
  if (!state.dev.empty()) data.dev_texts = {state.dev};
  return data;
}

// The run ---------------------------------------------------------------------------------------------------------

/// What makes the run what it is. How it is computed may change when it goes on.
std::vector<RunSetting> settings_of(const State& state, TrainingSetup& setup, const TrainingData& data) {
  const std::set<std::string> free = {"threads", "device", "batch_tokens", "save_steps", "save_minutes"};
  std::vector<RunSetting> settings = {{"system", state.system}};
  settings.push_back({"data", data.texts.empty() ? described(state.data, data.questions) : described(data.texts)});
  settings.push_back({"dev", data.texts.empty() ? described(state.dev, data.dev) : described(data.dev_texts)});
  for (const Option& option : setup.describe().options()) {
    if (!free.contains(option.name)) settings.push_back({option.name, option.default_value});
  }
  return settings;
}

nlohmann::ordered_json to_json(const TrainReport& report, const State& state) {
  nlohmann::ordered_json json;
  json["out"] = state.out;
  json["steps"] = report.steps;
  json["total_steps"] = report.total_steps;
  json["loss"] = report.loss;
  if (report.best) {
    json[report.measure] = *report.best;
    json["best_step"] = report.best_step;
    json["last_" + report.measure] = report.last.value_or(*report.best);
  }
  json["seconds"] = report.seconds;
  json["examples_per_second"] = static_cast<double>(report.examples) / std::max(report.seconds, 1e-9);
  json["parameters"] = report.parameters;
  json["stopped_early"] = report.stopped_early;
  return json;
}

void print(const TrainReport& report, const State& state) {
  const double rate = static_cast<double>(report.examples) / std::max(report.seconds, 1e-9);
  fmt::print("{}: {}, {} s, {} examples/s, last loss {:.4f}\n", state.out, counted(report.steps, "step", "steps"),
             with_commas(report.seconds, 1), with_commas(rate, 1), report.loss);
  if (!report.best) return;
  const bool share = report.measure == "dev_accuracy";
  fmt::print("{}: {:.{}f}{} at step {}, which is kept{}\n", share ? "accuracy on dev" : "loss on dev",
             share ? 100 * *report.best : *report.best, share ? 1 : 4, share ? "%" : "", with_commas(report.best_step),
             report.stopped_early ? "; stopped for want of gain" : "");
}

std::vector<std::string> words_that_resume(const State& state, const CommonOptions& common) {
  std::vector<std::string> words = common.words;
  if (!state.resume) words.push_back("--resume");
  return words;
}

int run(const State& state, const CommonOptions& common) {
  if (state.system.empty()) throw UsageError("--system is required: bert, gpt, mlm or clm.");
  if (state.out.empty()) throw UsageError("--out is required: the folder to train into.");
  // Before anything is said: only the first of several processes speaks.
  if (launched_group().is_first()) {
    require_usable(state.out, state.resume);
  } else {
    set_progress_output(nullptr);
  }
  auto setup = make_setup(state, common);
  const TrainingData data = read_training_data(state, common);
  const RunPlace place = {state.out, state.resume, settings_of(state, *setup, data)};
  const TrainReport report = setup->train(data, place);
  if (!is_first_process()) return report.stopped_by == 0 ? 0 : 128 + report.stopped_by;
  if (report.was_finished) {
    print_note(common, fmt::format("{}: the run has ended already; nothing is left to do.", state.out));
    return 0;
  }
  if (report.truncated > 0) {
    print_note(common, fmt::format("{} longer than the model (or max_length) takes, and cut.",
                                   counted(report.truncated, "question was", "questions were")));
  }
  if (report.stopped_by != 0) {
    print_note(common,
               fmt::format("stopped after step {} of {}. To go on{}: {}", with_commas(report.steps),
                           with_commas(report.total_steps), launched_group().size() > 1 ? ", in every process" : "",
                           shell_line(words_that_resume(state, common))));
    return 128 + report.stopped_by;
  }
  if (common.json) {
    fmt::print("{}\n", to_json(report, state).dump(2));
  } else {
    print(report, state);
  }
  return 0;
}

}  // namespace

Command train_command() {
  auto state = std::make_shared<State>();
  Command command;
  command.name = "train";
  command.about = "Fit a model to questions or to plain text, and write the best one";
  command.examples = {
      "gumption train --system bert --model bert-base-uncased --data train.jsonl --dev dev.jsonl --out runs/social",
      "gumption train --system bert --model runs/social --data copa-dev.xml --lr 3e-5 --epochs 10 --out runs/copa",
      "gumption train --system mlm --model bert-base-uncased --text blogs.txt --steps 1000 --out runs/blogs",
      "gumption train --system bert … --out runs/social --resume"};
  std::vector<std::string> names;
  for (const TrainableEntry& entry : trainable_systems()) names.push_back(entry.name);
  OptionSet& options = command.options;
  options.add_choice("system", state->system, "What to train: bert and gpt choose, mlm and clm predict words", names);
  options.add_file("model", state->model, "Checkpoint to begin with: a folder, or the name of a pulled one");
  options.add_file("data", state->data, "File of questions with labels to learn from");
  options.add_file("dev", state->dev, "File to measure on after each epoch; the best model is kept");
  Option text;
  text.name = "text";
  text.meaning = "Files of plain text to learn from (mlm, clm)";
  text.kind = "file";
  text.takes_file = text.repeats = text.takes_several = true;
  text.set = [&files = state->text](std::string_view file) { files.emplace_back(file); };
  options.add_option(std::move(text));
  options.add_file("out", state->out, "Folder for the model, the log and the state; must not be there");
  options.add("resume", state->resume, "Go on with the run in --out where it stopped; begin where there is none yet");
  options.add("set", state->settings, "An option of the system or the trainer, as name=value");
  options.add_file("tokenizer", state->tokenizer, "Folder of the tokenizer, where the model's has none");
  options.add_choice("device", state->device, "Where it is trained (default cpu)", {"cpu", "cuda"});
  options.add_choice("precision", state->precision,
                     "Numbers to compute with (default float32); weights are kept in float32 in any case",
                     {"float32", "bfloat16"});
  options.add_file("dev_labels", state->dev_labels, "A list of labels for --dev");
  options.add_all(describe(state->read));
  options.add_all(trainer_flags(state->training));
  command.needs_engine = [] { return true; };
  command.run = [state](const CommonOptions& common) { return run(*state, common); };
  return command;
}

}  // namespace gumption::cli
