#include <bit>
#include <compare>
#include <cstring>
#include <map>

#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include "gumption/nn/filled_batch.h"
#include "gumption/train/step_recordings.h"
#include "gumption/train/step_runner.h"

namespace gumption {

namespace {

/// The extents of a filled batch and of what is learnt from it.
struct StepSize {
  BatchSize batch;
  std::int64_t questions = 0;
  std::int64_t choices = 0;  // of a question
  std::int64_t words = 0;
  auto operator<=>(const StepSize&) const = default;

  std::int64_t numbers() const { return batch.numbers() + questions * (choices + 1) + 3 * words; }
};

/// Few sizes are to occur, also where batches are cut by tokens.
std::int64_t round_up_questions(std::int64_t count) {
  constexpr std::int64_t kStep = 8;
  return (count + kStep - 1) / kStep * kStep;
}

StepSize step_size(const TrainingBatch& batch) {
  StepSize size;
  size.batch = filled_size(batch.tokens, static_cast<std::int64_t>(batch.choice_rows.size()));
  size.questions = round_up_questions(static_cast<std::int64_t>(batch.questions.size()));
  size.choices = batch.most_choices();
  size.words = batch.words.empty() ? 0 : filled_count(static_cast<std::int64_t>(batch.words.size()));
  return size;
}

std::int32_t bits_of(float value) { return std::bit_cast<std::int32_t>(value); }

/// All numbers of a batch: those of fill(), the table of choices, word rows, words, and the weights' bits. Questions
/// and words that fill up weigh nothing.
std::vector<std::int32_t> fill_step(const TrainingBatch& batch, const StepSize& size) {
  std::vector<std::int32_t> numbers = fill(batch.tokens, batch.choice_rows, size.batch);
  numbers.reserve(static_cast<std::size_t>(size.numbers()));
  for (const std::int64_t index : choice_table(batch, size.choices, size.batch.rows)) {
    numbers.push_back(static_cast<std::int32_t>(index));
  }
  const auto filling = static_cast<std::size_t>(size.questions) - batch.questions.size();
  // A question that fills up has row 0 as its only choice: its loss is zero.
  for (std::size_t i = 0; i < filling; ++i) {
    numbers.push_back(0);
    numbers.resize(numbers.size() + static_cast<std::size_t>(size.choices) - 1,
                   static_cast<std::int32_t>(size.batch.rows));
  }
  const auto put_words = [&](const auto& values, const auto& number) {
    for (const auto value : values) numbers.push_back(number(value));
    numbers.resize(numbers.size() + static_cast<std::size_t>(size.words) - values.size(), 0);
  };
  const auto narrowed = [](std::int64_t value) { return static_cast<std::int32_t>(value); };
  put_words(batch.word_rows, narrowed);
  put_words(batch.words, narrowed);
  for (const auto& question : batch.questions) numbers.push_back(bits_of(question.weight));
  numbers.resize(numbers.size() + filling, bits_of(0));
  put_words(batch.word_weights, bits_of);
  return numbers;
}

/// A step's numbers on the device as what the loss is computed from.
TrainingInput views_of(const at::Tensor& numbers, const StepSize& size, Sight sight) {
  FilledInput filled = views_of_filled(numbers, size.batch, sight);
  TrainingInput input{std::move(filled.input), {}, {}, {}, {}, {}, {}, {}};
  std::int64_t at = size.batch.numbers();
  const auto next = [&](std::int64_t count) {
    const at::Tensor part = numbers.narrow(0, at, count);
    at += count;
    return part;
  };
  const at::Tensor table = next(size.questions * size.choices);
  const at::Tensor word_rows = next(size.words);
  const at::Tensor words = next(size.words);
  const at::Tensor question_weights = next(size.questions).view(at::kFloat);
  const at::Tensor word_weights = next(size.words).view(at::kFloat);
  if (size.questions > 0) {
    input.choice_rows = filled.rows;
    input.choices = table.view({size.questions, size.choices});
    input.question_weights = question_weights;
  }
  if (size.words > 0) {
    input.word_rows = word_rows;
    input.words = words;
    input.word_weights = word_weights;
  }
  return input;
}

struct Recording {
  at::Tensor numbers;
  at::Tensor loss;
  at::cuda::CUDAGraph graph;
};

}  // namespace

struct WorkStream::Guard {
  c10::cuda::CUDAStreamGuard guard{c10::cuda::getStreamFromPool(true)};
};

WorkStream::WorkStream(const at::Device& device) {
  if (device.is_cuda()) guard_ = std::make_unique<Guard>();
}

WorkStream::~WorkStream() {
  if (guard_ != nullptr) c10::cuda::getCurrentCUDAStream().synchronize();
}

void WorkStream::wait() const {
  if (guard_ != nullptr) c10::cuda::getCurrentCUDAStream().synchronize();
}

struct StepRecordings::Parts {
  Pass pass;
  Clear clear;
  Sight sight;
  at::TensorOptions options;
  at::cuda::MempoolId_t pool = at::cuda::graph_pool_handle();
  std::map<StepSize, std::unique_ptr<Recording>> by_size = {};

  Recording& recording_for(const StepSize& size, const at::Tensor& numbers);
};

bool StepRecordings::are_supported(const at::TensorOptions& options) {
  return AttentionPlan::has_fused_kernel(options);
}

StepRecordings::StepRecordings(Pass pass, Clear clear, Sight sight, at::TensorOptions options)
    : parts_(std::make_unique<Parts>(Parts{std::move(pass), std::move(clear), sight, options})) {}

StepRecordings::~StepRecordings() = default;

Recording& StepRecordings::Parts::recording_for(const StepSize& size, const at::Tensor& numbers) {
  auto& recording = by_size[size];
  if (recording != nullptr) return *recording;
  const bool is_first = by_size.size() == 1;
  auto made = std::make_unique<Recording>();
  made->numbers = numbers.to(options.device(), at::kInt);
  const TrainingInput input = views_of(made->numbers, size, sight);
  if (is_first) {
    // Libraries set themselves up at their first call, in the backward pass's thread too, which a recording must not
    // see. Nothing was gathered before, so that nothing is lost.
    pass(input);
    clear();
  }
  c10::cuda::getCurrentCUDAStream().synchronize();
  // NCCL asks after its work in a thread of its own, which must not spoil the recording.
  made->graph.capture_begin(pool, cudaStreamCaptureModeThreadLocal);
  made->loss = pass(input);
  made->graph.capture_end();
  recording = std::move(made);
  return *recording;
}

at::Tensor StepRecordings::run(const TrainingBatch& batch) {
  const StepSize size = step_size(batch);
  const std::vector<std::int32_t> filled = fill_step(batch, size);
  at::Tensor staged = at::empty({size.numbers()}, at::TensorOptions().dtype(at::kInt).pinned_memory(true));
  TORCH_CHECK(static_cast<std::int64_t>(filled.size()) == size.numbers(), "a filled step has its size");
  std::memcpy(staged.mutable_data_ptr<std::int32_t>(), filled.data(), filled.size() * sizeof(std::int32_t));
  Recording& recording = parts_->recording_for(size, staged);
  recording.numbers.copy_(staged, /*non_blocking=*/true);
  recording.graph.replay();
  return recording.loss;
}

void seed_gpu_generator(std::uint64_t seed) {
  at::Generator generator = at::cuda::detail::getDefaultCUDAGenerator();
  const std::lock_guard<std::mutex> lock(generator.mutex());
  generator.set_current_seed(seed);
}

}  // namespace gumption
