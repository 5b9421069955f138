// Whole training runs: against golden losses, against themselves when they are cut, stopped or shared.

#include "gumption/models/training.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "gumption/base/error.h"
#include "gumption/weights/checkpoint.h"

#include "nn/nn_support.h"
#include "support/support.h"

namespace gumption {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// Where the reference values are; tests that need them have made sure that they are there.
fs::path shared_root() { return test::shared_file("golden").parent_path(); }

std::vector<Question> golden_questions(std::size_t count) {
  std::vector<Question> questions;
  const auto expected = test::read_json(shared_root() / "golden/bert-multiple-choice/expected.json");
  const auto& items = expected["items"];
  for (const auto& item : items) {
    if (questions.size() == count) break;
    const auto& from = item["question"];
    Question question;
    question.id = std::to_string(questions.size());
    question.context = from["context"];
    question.question = from["question"];
    question.choices = from["choices"].get<std::vector<std::string>>();
    question.label = from["label"].get<int>();
    questions.push_back(std::move(question));
  }
  return questions;
}

BertOptions golden_bert() {
  BertOptions options;
  options.model.model = (shared_root() / "golden/bert-multiple-choice").string();
  options.model.threads = 1;
  options.form = "social-iqa";
  return options;
}

/// A small run with dropout on the twelve golden questions.
TrainOptions short_run() {
  TrainOptions options;
  options.lr = 1e-3;
  options.batch = 4;
  options.steps = 10;
  options.dropout = 0.1;
  return options;
}

std::vector<nlohmann::json> log_of(const fs::path& folder) {
  std::vector<nlohmann::json> lines;
  std::ifstream file(folder / "log.jsonl");
  for (std::string line; std::getline(file, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

/// The largest difference of two trained models' weights, relative to each tensor's largest.
double distance_of(const fs::path& a, const fs::path& b) {
  const Checkpoint first = open_checkpoint(a);
  const Checkpoint second = open_checkpoint(b);
  double worst = 0;
  for (const StoredTensor& tensor : first.tensors->tensors()) {
    const at::Tensor x = borrow_tensor(first.tensors, tensor);
    const at::Tensor y = borrow_tensor(second.tensors, *second.tensors->find(tensor.name));
    worst = std::max(worst, ((x - y).abs().max() / x.abs().max().clamp_min(1e-3)).item<double>());
  }
  return worst;
}

TEST(Training, GivesTheSixGoldenLosses) {
  GUMPTION_NEEDS_SHARED(golden, "golden");
  const auto expected = test::read_json(shared_root() / "golden/bert-multiple-choice/expected.json");
  TrainOptions options;
  options.lr = 1e-3;
  options.steps = 6;
  options.batch = 4;
  options.shuffle = false;
  options.schedule = Schedule::kConstant;
  options.warmup = 0;
  options.dropout = 0;
  options.adam.epsilon = 1e-8;
  options.adam.decay = DecaySet::kAll;
  const test::TemporaryFolder folder;
  const fs::path out = folder.path() / "run";
  train_bert(golden_bert(), options, {golden_questions(4), "social-iqa"}, {out});
  const auto lines = log_of(out);
  const auto losses = expected["adamw"]["losses"].get<std::vector<double>>();
  ASSERT_EQ(lines.size(), losses.size());
  for (std::size_t i = 0; i < losses.size(); ++i) {
    EXPECT_NEAR(lines[i]["loss"].get<double>(), losses[i], 1e-4);
    EXPECT_EQ(lines[i]["step"], i + 1);
    EXPECT_EQ(lines[i]["lr"], 1e-3);
  }
  EXPECT_TRUE(open_checkpoint(out).heads.multiple_choice);
}

TEST(Training, SameSeedSameBytes) {
  GUMPTION_NEEDS_SHARED(golden, "golden");
  const test::TemporaryFolder folder;
  TrainOptions options = short_run();
  for (const char* name : {"a", "b"}) {
    train_bert(golden_bert(), options, {golden_questions(12), "social-iqa"}, {folder.path() / name});
  }
  options.seed = 2;
  train_bert(golden_bert(), options, {golden_questions(12), "social-iqa"}, {folder.path() / "other"});
  const auto weights = [&](const char* name) { return test::read_bytes(folder.path() / name / "model.safetensors"); };
  EXPECT_TRUE(weights("a") == weights("b"));
  EXPECT_FALSE(weights("a") == weights("other"));
}

TEST(Training, CuttingAStepIntoBatchesChangesNothing) {
  GUMPTION_NEEDS_SHARED(golden, "golden");
  const test::TemporaryFolder folder;
  BertOptions bert = golden_bert();
  train_bert(bert, short_run(), {golden_questions(12), "social-iqa"}, {folder.path() / "whole"});
  for (const std::uint64_t tokens : {1U, 120U, 250U}) {
    bert.model.batch_tokens = tokens;
    const fs::path out = folder.path() / std::to_string(tokens);
    train_bert(bert, short_run(), {golden_questions(12), "social-iqa"}, {out});
    EXPECT_LT(distance_of(folder.path() / "whole", out), 1e-5);
  }
}

/// Sends this process SIGTERM once, when a run's log has grown by so many steps, as a scheduler would in the middle of
/// a run.
class SignalSender {
 public:
  explicit SignalSender(const fs::path& run, std::ptrdiff_t steps = 1)
      : before_(std::signal(SIGTERM, [](int) {})),  // one that comes too late must not end the test
        sender_([this, log = run / "log.jsonl", wanted = lines_of(run / "log.jsonl") + steps] {
          while (!done_ && lines_of(log) < wanted) std::this_thread::sleep_for(std::chrono::milliseconds(1));
          if (!done_) std::raise(SIGTERM);
        }) {}
  ~SignalSender() {
    done_ = true;
    sender_.join();
    std::signal(SIGTERM, before_);
  }

 private:
  static std::ptrdiff_t lines_of(const fs::path& path) {
    std::ifstream file(path);
    return std::count(std::istreambuf_iterator<char>(file), {}, '\n');
  }

  void (*before_)(int);
  std::atomic<bool> done_ = false;
  std::thread sender_;
};

TEST(Training, ASignalSavesAndResumingEqualsNeverStopping) {
  GUMPTION_NEEDS_SHARED(golden, "golden");
  const test::TemporaryFolder folder;
  const TrainingData data = {golden_questions(12), "social-iqa", golden_questions(12), {}, {}};
  TrainOptions options = short_run();
  options.steps = 60;
  options.eval_steps = 7;
  train_bert(golden_bert(), options, data, {folder.path() / "whole"});
  const fs::path out = folder.path() / "stopped";
  int stops = 0;
  for (bool stopped = true; stopped && stops < 100;) {
    const SignalSender sender(out);
    const TrainReport report = train_bert(golden_bert(), options, data, {out, /*resume=*/true});
    stopped = report.stopped_by != 0;
    if (!stopped) continue;
    ++stops;
    EXPECT_EQ(report.stopped_by, SIGTERM);
    EXPECT_LT(report.steps, 60U);
    EXPECT_TRUE(fs::exists(out / "training/state.safetensors"));
  }
  EXPECT_GE(stops, 3);
  EXPECT_TRUE(test::read_bytes(folder.path() / "whole/model.safetensors") ==
              test::read_bytes(out / "model.safetensors"));
  EXPECT_EQ(log_of(out).size(), 60U);
}

TEST(Training, KeepsTheBestAndStopsForWantOfGain) {
  GUMPTION_NEEDS_SHARED(golden, "golden");
  const test::TemporaryFolder folder;
  TrainOptions options = short_run();
  options.steps = 40;
  options.lr = 0;  // nothing is learnt, so that nothing is gained
  options.eval_steps = 2;
  options.patience = 3;
  const TrainingData data = {golden_questions(12), "social-iqa", golden_questions(12), {}, {}};
  const TrainReport report = train_bert(golden_bert(), options, data, {folder.path() / "run"});
  EXPECT_TRUE(report.stopped_early);
  EXPECT_EQ(report.best_step, 2U);
  EXPECT_EQ(report.steps, 8U);
  const auto lines = log_of(folder.path() / "run");
  EXPECT_TRUE(lines[1].contains("dev_accuracy"));
  EXPECT_FALSE(lines[0].contains("dev_accuracy"));
}

/// A signal that comes just when the last patience is used up leaves a state with none. Here no signal has to come at
/// such a moment: the run is stopped after it, and resumed with the patience that it has used up.
TEST(Training, StopsAtOnceWhereItsPatienceWasUsedUpBefore) {
  GUMPTION_NEEDS_SHARED(golden, "golden");
  const test::TemporaryFolder folder;
  const fs::path out = folder.path() / "run";
  TrainOptions options = short_run();
  options.steps = 1'000'000;
  options.lr = 0;
  options.eval_steps = 2;
  const TrainingData data = {golden_questions(12), "social-iqa", golden_questions(12), {}, {}};
  std::uint64_t steps = 0;
  {
    const SignalSender sender(out, 8);
    const TrainReport stopped = train_bert(golden_bert(), options, data, {out});
    ASSERT_EQ(stopped.stopped_by, SIGTERM);
    steps = stopped.steps;
  }
  options.patience = 3;
  const TrainReport resumed = train_bert(golden_bert(), options, data, {out, /*resume=*/true});
  EXPECT_TRUE(resumed.stopped_early);
  EXPECT_EQ(resumed.stopped_by, 0);
  EXPECT_EQ(resumed.steps, steps);
  EXPECT_EQ(resumed.best_step, 2U);
  EXPECT_EQ(log_of(out).size(), steps);
  EXPECT_TRUE(fs::exists(out / "model.safetensors"));
  EXPECT_FALSE(fs::exists(out / "training/state.safetensors"));
}

TEST(Training, ADivergingRateEndsWithTheNumbers) {
  GUMPTION_NEEDS_SHARED(golden, "golden");
  const test::TemporaryFolder folder;
  TrainOptions options = short_run();
  options.lr = 1e30;
  options.warmup = 0;
  try {
    train_bert(golden_bert(), options, {golden_questions(12), "social-iqa"}, {folder.path() / "run"});
    FAIL() << "a rate of 1e30 diverges";
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("the loss is"));
    EXPECT_THAT(error.what(), HasSubstr("smaller lr"));
  }
}

TEST(Training, GptLearnsToChooseAndToPredict) {
  GUMPTION_NEEDS_SHARED(golden, "golden");
  const fs::path model = shared_root() / "golden/gpt1-double-heads";
  GptTrainingOptions gpt;
  gpt.gpt.model.model = model.string();
  gpt.gpt.model.tokenizer = (shared_root() / "data/vocab/gpt1").string();
  gpt.gpt.model.threads = 1;
  TrainOptions options;
  options.steps = 1;
  options.batch = 4;
  options.shuffle = false;
  options.dropout = 0;
  options.lr = 0;
  const test::TemporaryFolder folder;
  train_gpt(gpt, options, {golden_questions(4), "native"}, {folder.path() / "run"});
  // The loss of the golden logits: the choices' cross-entropy, and half of the choices' mean word loss.
  const auto items = test::read_json(model / "expected.json")["items"];
  double wanted = 0;
  const auto questions = golden_questions(4);
  std::size_t used = 0;
  for (const Question& question : questions) {
    for (const auto& item : items) {
      if (item["question"]["context"] != question.context || item["question"]["question"] != question.question)
        continue;
      const auto logits = item["mc_logits"].get<std::vector<double>>();
      double sum = 0;
      for (const double logit : logits) sum += std::exp(logit);
      wanted += std::log(sum) - logits[static_cast<std::size_t>(*question.label)];
      const auto words = item["lm_mean_nll_per_choice"].get<std::vector<double>>();
      wanted += 0.5 * std::accumulate(words.begin(), words.end(), 0.0) / static_cast<double>(words.size());
      ++used;
    }
  }
  ASSERT_EQ(used, 4U);
  EXPECT_NEAR(log_of(folder.path() / "run").front()["loss"].get<double>(), wanted / 4, 1e-4);
}

/// A text with a rule in it: a model that learns sees its loss fall.
TEST(Training, LearnsFromPlainText) {
  GUMPTION_NEEDS_SHARED(golden, "golden");
  const test::TemporaryFolder folder;
  const fs::path text = folder.path() / "text.txt";
  {
    std::ofstream file(text);
    for (int i = 0; i < 400; ++i) file << "the cat sat on the mat and the dog ran to the park .\n";
  }
  TrainOptions options;
  options.lr = 1e-2;
  options.steps = 30;
  options.batch = 4;
  options.dropout = 0;
  options.warmup = 0;
  MaskedTextOptions masked;
  masked.model = golden_bert().model;
  masked.model.max_length = 32;
  train_on_text(masked, options, {{}, "", {}, {text.string()}, {text.string()}}, {folder.path() / "mlm"});
  const auto lines = log_of(folder.path() / "mlm");
  EXPECT_LT(lines.back()["loss"].get<double>(), lines.front()["loss"].get<double>() - 2);
  EXPECT_TRUE(lines.back().contains("dev_loss"));
  const Checkpoint made = open_checkpoint(folder.path() / "mlm");
  EXPECT_TRUE(made.heads.masked_lm);
  EXPECT_TRUE(made.heads.pooler);  // what wasn't trained stays

  CausalTextOptions causal;
  causal.model = masked.model;
  causal.model.model = (shared_root() / "golden/gpt2-lm").string();
  causal.model.tokenizer = (shared_root() / "data/vocab/gpt2").string();
  options.from_scratch = true;
  train_on_text(causal, options, {{}, "", {}, {text.string()}, {}}, {folder.path() / "clm"});
  const auto words = log_of(folder.path() / "clm");
  EXPECT_LT(words.back()["loss"].get<double>(), words.front()["loss"].get<double>() - 2);
}

}  // namespace
}  // namespace gumption
