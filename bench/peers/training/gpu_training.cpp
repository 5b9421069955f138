// Fine-tunes random weights on questions of drawn lengths: our side of run.py.
//
//   gpu_training LENGTHS MODEL QUESTIONS_A_STEP STEPS [plain]
//
// LENGTHS: see drawn_questions.h. MODEL is a folder that gpu_training.py made. "plain": without recordings and fused
// kernels.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gumption/cluster/process_group.h"
#include "gumption/models/choice_task.h"
#include "gumption/models/learners.h"
#include "gumption/nn/engine.h"
#include "gumption/train/adam.h"
#include "gumption/train/step_feed.h"
#include "gumption/train/step_runner.h"

#include "../drawn_questions.h"

namespace {

using namespace gumption;

/// Questions as the task takes them. Each begins with another word than those beside it.
std::vector<ChoiceExample> examples_of(std::span<const DrawnQuestion> questions, bool is_bert) {
  std::vector<ChoiceExample> examples;
  const auto ids = [](std::int64_t length, std::size_t number) {
    return drawn_ids(length, 101 * static_cast<std::int64_t>(number));
  };
  for (const DrawnQuestion& question : questions) {
    ChoiceExample example;
    const std::size_t index = examples.size();
    if (!is_bert) example.prefix = ids(question.shared, index);
    for (const std::int64_t own : question.choices) {
      TokenSequence sequence;
      sequence.ids = ids(is_bert ? question.shared + own : own, index + example.sequences.size());
      if (is_bert) {
        sequence.types.assign(static_cast<std::size_t>(question.shared), 0);
        sequence.types.resize(sequence.ids.size(), 1);
      }
      example.sequences.push_back(std::move(sequence));
    }
    examples.push_back(std::move(example));
  }
  return examples;
}

/// Of all sequences, what choices share counted for each.
std::int64_t count_tokens(std::span<const DrawnQuestion> questions) {
  std::int64_t tokens = 0;
  for (const DrawnQuestion& question : questions) {
    for (const std::int64_t own : question.choices) tokens += question.shared + own;
  }
  return tokens;
}

struct Bench {
  std::string lengths;
  std::string model;
  std::uint64_t batch;
  std::uint64_t steps;
  bool plain;
};

void run(const Bench& bench) {
  EngineOptions engine;
  engine.device = Device::kCuda;
  engine.precision = Precision::kBfloat16;
  const at::TensorOptions options = start_engine(engine);
  const Checkpoint checkpoint = open_checkpoint(bench.model);
  const bool is_bert = checkpoint.config.architecture == Architecture::kBert;
  ParameterSource source(checkpoint, options, true);
  std::unique_ptr<Bert> bert;
  std::unique_ptr<Gpt> gpt;
  std::unique_ptr<Learner> learner;
  if (is_bert) {
    bert = std::make_unique<Bert>(checkpoint.config, source, BertHeads{.pooler = true, .multiple_choice = true}, true);
    learner = std::make_unique<BertLearner>(*bert, true);
  } else {
    gpt = std::make_unique<Gpt>(checkpoint.config, source, true, true);
    learner = std::make_unique<GptLearner>(*gpt, true);
  }
  TrainOptions training;
  training.batch = bench.batch;
  training.lr = 1e-5;
  ParameterStore store(source.taken(), at::kBFloat16, training.adam.decay);
  store.set_without_effect(learner->without_effect());
  const auto questions = read_drawn_questions(bench.lengths);
  const double tokens_a_question = static_cast<double>(count_tokens(questions)) / static_cast<double>(questions.size());
  ChoiceTaskOptions task_options;
  task_options.read_at = is_bert ? ReadAt::kFirst : ReadAt::kLast;
  task_options.word_weight = is_bert ? 0 : 0.5;
  ProcessGroup group{ClusterOptions()};
  const ChoiceTask task(examples_of(questions, is_bert), {}, task_options, *learner, group);

  const WorkStream stream(options.device());
  Adam adam(store, training.adam);
  StepRunner runner(*learner, store, learner->dropout(), !bench.plain);
  // Every size of batch is recorded before time is taken, as in an epoch's first part of a real run.
  const std::uint64_t warm_up = steps_per_epoch(task.examples(), bench.batch);
  StepFeed feed(task, training, {1, warm_up + 2 * bench.steps, 1 << 17});
  std::uint64_t step = 0;
  const auto take = [&](std::uint64_t count) {
    std::uint64_t examples = 0;
    at::Tensor loss;
    const auto start = std::chrono::steady_clock::now();
    for (std::uint64_t i = 0; i < count; ++i) {
      const StepBatches made = feed.next();
      store.clear_gradients();
      for (std::size_t k = 0; k < made.batches.size(); ++k) loss = runner.run(made.batches[k], made.draws[k]);
      store.clear_without_effect();
      adam.update(1e-5, ++step);
      examples += made.examples;
    }
    stream.wait();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::fprintf(stderr, "%llu steps, %.3f s, loss %.4f\n", static_cast<unsigned long long>(count), seconds,
                 loss.item<double>());
    return static_cast<double>(examples) / seconds;
  };
  take(warm_up);
  double best = 0;
  for (int i = 0; i < 2; ++i) best = std::max(best, take(bench.steps));
  std::printf("{\"questions_per_second\": %.1f, \"tokens_per_second\": %.0f}\n", best, best * tokens_a_question);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fprintf(stderr, "usage: gpu_training LENGTHS MODEL QUESTIONS_A_STEP STEPS [plain]\n");
    return 2;
  }
  run({argv[1], argv[2], std::stoull(argv[3]), std::stoull(argv[4]), argc > 5});
  return 0;
}
