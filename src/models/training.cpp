#include "gumption/models/training.h"

#include <algorithm>
#include <array>
#include <functional>

#include <ATen/ATen.h>
#include <c10/util/Exception.h>
#include <fmt/format.h>

#include "gumption/base/error.h"
#include "gumption/base/thread_pool.h"
#include "gumption/cluster/process_group.h"
#include "gumption/models/batching.h"
#include "gumption/models/choice_task.h"
#include "gumption/models/learners.h"
#include "gumption/models/new_weights.h"
#include "gumption/models/question_inputs.h"
#include "gumption/models/text_task.h"
#include "gumption/train/trainer.h"
#include "gumption/weights/model_record.h"

namespace gumption {

namespace {

// A step goes through a GPU as one where it fits; the CPU's caches like less.
constexpr std::int64_t kTokensOnCpu = 4096;
constexpr std::int64_t kTokensOnGpu = 16384;

std::int64_t batch_tokens_of(const ModelOptions& options) {
  if (options.batch_tokens != 0) return static_cast<std::int64_t>(options.batch_tokens);
  return options.device == "cuda" ? kTokensOnGpu : kTokensOnCpu;
}

OpenedModel open_to_train(const ModelOptions& options, const TrainOptions& training,
                          std::initializer_list<Architecture> wanted) {
  const std::optional<std::uint64_t> seed = training.from_scratch ? std::optional(training.seed) : std::nullopt;
  OpenedModel model = open_model(options, wanted, seed);
  at::manual_seed(training.seed);  // of new heads
  return model;
}

/// Writes trained parameters, and those of the checkpoint that weren't trained where `keeps_others` says so.
class ModelWriter {
 public:
  ModelWriter(const OpenedModel& model, const ModelOptions& options, const RunPlace& place, std::string record,
              bool keeps_others)
      : model_(model), folder_(place.out), record_(std::move(record)), keeps_others_(keeps_others) {
    files_ = find_tokenizer_files(options.tokenizer.empty() ? model.checkpoint.folder.string() : options.tokenizer);
  }

  void operator()(std::span<const NamedTensor> parameters) const {
    CheckpointToWrite checkpoint;
    checkpoint.config = model_.checkpoint.config;
    checkpoint.config.classes.clear();
    std::vector<StoredTensor> tensors;
    for (const NamedTensor& parameter : parameters) {
      const at::Tensor& values = parameter.tensor;
      tensors.push_back({parameter.name,
                         ElementType::kFloat32,
                         values.sizes().vec(),
                         {static_cast<const char*>(values.const_data_ptr()), values.nbytes()}});
    }
    if (keeps_others_) add_others(tensors);
    checkpoint.tensors = tensors;
    checkpoint.precision = ElementType::kFloat32;
    checkpoint.files = files_;
    checkpoint.record = record_;
    replace_checkpoint(folder_, checkpoint);
  }

 private:
  void add_others(std::vector<StoredTensor>& tensors) const {
    for (const StoredTensor& other : model_.checkpoint.tensors->tensors()) {
      const bool taken =
          std::any_of(tensors.begin(), tensors.end(), [&](const StoredTensor& own) { return own.name == other.name; });
      if (!taken) tensors.push_back(other);
    }
  }

  const OpenedModel& model_;
  std::filesystem::path folder_;
  std::string record_;
  bool keeps_others_;
  std::vector<FileToCopy> files_;
};

/// What a run shares, whatever it learns.
struct RunParts {
  const OpenedModel& model;
  const ModelOptions& options;
  const TrainOptions& training;
  const RunPlace& place;
  std::string system;
  bool keeps_others = false;
  std::string input = {};  // settings of a question's input
};

std::string record_of(const RunParts& run) {
  const RunPlace& place = run.place;
  ModelRecord record;
  record.name = (place.out / "").lexically_normal().parent_path().filename().string();
  record.source = fmt::format("trained:{} from {}", run.system, run.options.model);
  record.date = date_now();
  record.input = run.input;
  return to_json_text(record);
}

using MakeTask = std::function<std::unique_ptr<Task>(ProcessGroup&)>;

/// fit() in a run's folder, which only the first process has.
TrainReport fit_in(RunFolder* folder, const RunParts& run, Learner& learner, std::span<const NamedTensor> taken,
                   const MakeTask& make_task) {
  ProcessGroup& group = launched_group();
  std::array<std::uint64_t, 1> finished = {folder != nullptr && folder->finished() ? 1U : 0U};
  group.all_reduce_sum(std::span<std::uint64_t>(finished));
  TrainReport report;
  report.was_finished = finished.front() > 0;
  if (report.was_finished) return report;

  const auto type = c10::typeMetaToScalarType(run.model.options.dtype());
  ParameterStore store(taken, type, run.training.adam.decay);
  const auto task = make_task(group);
  const ModelWriter writer(run.model, run.options, run.place, record_of(run), run.keeps_others);
  const TrainerParts parts = {*task, learner, store, group, folder, batch_tokens_of(run.options), writer};
  try {
    return train(parts, run.training);
  } catch (const c10::Error& error) {
    if (!is_out_of_memory(error)) throw;
    throw UserError(
        fmt::format("A batch doesn't fit into memory. Take a smaller --set batch_tokens than {}: a step then goes "
                    "through in more parts.",
                    parts.batch_tokens));
  }
}

/// Fits a learner whose parameters are `taken`. `make_task` is called when the learner is ready.
TrainReport fit(const RunParts& run, Learner& learner, std::span<const NamedTensor> taken, const MakeTask& make_task) {
  std::unique_ptr<RunFolder> folder;
  if (launched_group().is_first()) {
    folder = std::make_unique<RunFolder>(run.place.out, run.place.settings, run.place.resume);
  }
  return fit_in(folder.get(), run, learner, taken, make_task);
}

/// Turns questions into examples on all threads, in order.
using MakeExample = std::function<ChoiceExample(const Question& question, TextEncoder& encode)>;
std::vector<ChoiceExample> make_examples(std::span<const Question> questions, const OpenedModel& model,
                                         std::uint64_t threads, const MakeExample& make) {
  constexpr std::size_t kQuestionsOfTask = 256;
  std::vector<ChoiceExample> examples(questions.size());
  ThreadPool pool(threads);
  pool.parallel_for((questions.size() + kQuestionsOfTask - 1) / kQuestionsOfTask, [&](std::size_t task) {
    TextEncoder encode(*model.tokenizer);
    const std::size_t end = std::min(questions.size(), (task + 1) * kQuestionsOfTask);
    for (std::size_t i = task * kQuestionsOfTask; i < end; ++i) {
      examples[i] = make(questions[i], encode);
      examples[i].right = static_cast<std::size_t>(questions[i].label.value_or(0));
    }
  });
  return examples;
}

std::uint64_t count_truncated(std::span<const ChoiceExample> examples) {
  return static_cast<std::uint64_t>(std::count_if(examples.begin(), examples.end(), [](const ChoiceExample& example) {
    return std::any_of(example.sequences.begin(), example.sequences.end(),
                       [](const TokenSequence& sequence) { return sequence.truncated; });
  }));
}

TrainReport fit_choices(const RunParts& run, Learner& learner, std::span<const NamedTensor> taken,
                        const TrainingData& data, ChoiceTaskOptions options, const MakeExample& make) {
  auto train = make_examples(data.questions, run.model, run.options.threads, make);
  auto dev = make_examples(data.dev, run.model, run.options.threads, make);
  const std::uint64_t truncated = count_truncated(train) + count_truncated(dev);
  options.batch_tokens = run.model.batch_tokens;
  TrainReport report = fit(run, learner, taken, [&](ProcessGroup& group) {
    return std::make_unique<ChoiceTask>(std::move(train), std::move(dev), options, learner, group);
  });
  report.truncated = truncated;
  return report;
}

}  // namespace

TrainReport train_bert(const BertOptions& options, const TrainOptions& training, const TrainingData& data,
                       const RunPlace& place) {
  const OpenedModel model = open_to_train(options.model, training, {Architecture::kBert});
  const BertInputs inputs = {bert_form(options.form, data.format),
                             bert_tokens(*model.tokenizer, model.checkpoint.folder.string()), model.max_length,
                             options.no_context, options.no_question};
  inputs.check();
  ParameterSource source(model.checkpoint, model.options, /*trainable=*/true);
  const Bert bert(model.checkpoint.config, source, {.pooler = true, .multiple_choice = true}, /*new_heads=*/true);
  BertLearner learner(bert, /*chooses=*/true);
  const RunParts run = {model, options.model, training, place, "bert", /*keeps_others=*/false, inputs.settings()};
  return fit_choices(run, learner, source.taken(), data, {}, [&](const Question& question, TextEncoder& encode) {
    ChoiceExample example;
    example.sequences = inputs(question, encode);
    return example;
  });
}

TrainReport train_gpt(const GptTrainingOptions& options, const TrainOptions& training, const TrainingData& data,
                      const RunPlace& place) {
  OpenedModel model = open_to_train(options.gpt.model, training, {Architecture::kGpt1});
  const Gpt1Inputs inputs = {gpt1_tokens(*model.tokenizer), model.max_length, options.gpt.no_context,
                             options.gpt.no_question};
  const TokenId last = std::max({inputs.special.start, inputs.special.delimiter, inputs.special.classify});
  model.checkpoint = with_vocabulary(std::move(model.checkpoint), last + 1, training.seed);
  ParameterSource source(model.checkpoint, model.options, /*trainable=*/true);
  const Gpt gpt(model.checkpoint.config, source, /*choice_head=*/true, /*new_heads=*/true);
  GptLearner learner(gpt, /*chooses=*/true);
  ChoiceTaskOptions task;
  task.read_at = ReadAt::kLast;
  task.shared_mask = true;
  task.word_weight = options.lm_weight;
  const RunParts run = {model, options.gpt.model, training, place, "gpt", /*keeps_others=*/false, inputs.settings()};
  return fit_choices(run, learner, source.taken(), data, task, [&](const Question& question, TextEncoder& encode) {
    TokenTree tree = inputs(question, encode);
    ChoiceExample example;
    example.prefix = std::move(tree.prefix);
    for (auto& branch : tree.branches) example.sequences.push_back({std::move(branch), {}, tree.truncated});
    return example;
  });
}

namespace {

/// The blocks of --text and --dev; UserError where the text is too short for one.
struct TextBlocks {
  TokenBlocks train;
  TokenBlocks dev;
};

TextBlocks read_text(const TrainingData& data, const OpenedModel& model, std::int64_t length, TokenId between) {
  TextBlocks blocks = {read_blocks(data.texts, *model.tokenizer, length, between),
                       read_blocks(data.dev_texts, *model.tokenizer, length, between)};
  if (blocks.train.empty()) {
    throw UserError(Complaint{data.texts.front(), 0, fmt::format("text for a block of {} tokens", kShortestBlock),
                              "less", "Name more text, or take a larger max_length"});
  }
  if (blocks.dev.empty() && !data.dev_texts.empty()) {
    throw UserError(Complaint{data.dev_texts.front(), 0, fmt::format("text for a block of {} tokens", kShortestBlock),
                              "less", "Name more text to measure on"});
  }
  return blocks;
}

constexpr std::int64_t kLongestBlock = 512;

}  // namespace

TrainReport train_on_text(const MaskedTextOptions& options, const TrainOptions& training, const TrainingData& data,
                          const RunPlace& place) {
  const OpenedModel model = open_to_train(options.model, training, {Architecture::kBert});
  TextTaskOptions task;
  task.masked = true;
  task.mask_share = options.mask_share;
  task.special = bert_tokens(*model.tokenizer, model.checkpoint.folder.string());
  task.vocabulary = model.checkpoint.config.vocabulary;
  task.batch_tokens = model.batch_tokens;
  constexpr std::int64_t kSpecials = 2;
  TextBlocks blocks = read_text(data, model, std::min(kLongestBlock, model.max_length) - kSpecials, -1);
  ParameterSource source(model.checkpoint, model.options, /*trainable=*/true);
  const Bert bert(model.checkpoint.config, source, {.masked_lm = true}, /*new_heads=*/true);
  BertLearner learner(bert, /*chooses=*/false);
  const RunParts run = {model, options.model, training, place, "mlm", /*keeps_others=*/true};
  return fit(run, learner, source.taken(), [&](ProcessGroup& group) {
    return std::make_unique<TextTask>(std::move(blocks.train), std::move(blocks.dev), task, learner, group);
  });
}

TrainReport train_on_text(const CausalTextOptions& options, const TrainOptions& training, const TrainingData& data,
                          const RunPlace& place) {
  const OpenedModel model = open_to_train(options.model, training, {Architecture::kGpt1, Architecture::kGpt2});
  TextTaskOptions task;
  task.batch_tokens = model.batch_tokens;
  const TokenId between = model.tokenizer->vocabulary().id_of("<|endoftext|>").value_or(-1);
  TextBlocks blocks = read_text(data, model, std::min(kLongestBlock, model.max_length), between);
  ParameterSource source(model.checkpoint, model.options, /*trainable=*/true);
  const Gpt gpt(model.checkpoint.config, source, /*choice_head=*/false);
  GptLearner learner(gpt, /*chooses=*/false);
  const RunParts run = {model, options.model, training, place, "clm", /*keeps_others=*/true};
  return fit(run, learner, source.taken(), [&](ProcessGroup& group) {
    return std::make_unique<TextTask>(std::move(blocks.train), std::move(blocks.dev), task, learner, group);
  });
}

}  // namespace gumption
