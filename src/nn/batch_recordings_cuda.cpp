#include <array>
#include <cstring>
#include <map>

#include <ATen/cuda/CUDAEvent.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include "gumption/nn/batch_recordings.h"
#include "gumption/nn/filled_batch.h"

namespace gumption {

namespace {

/// One size's recording: where its input goes, and where its output appears.
struct Recording {
  at::Tensor numbers;
  at::Tensor output;
  at::cuda::CUDAGraph graph;
};

/// A stream with recordings of its own. Two of them keep a GPU busy where one batch's kernels don't fill it.
struct Lane {
  c10::cuda::CUDAStream stream = c10::cuda::getStreamFromPool(true);
  at::cuda::MempoolId_t pool = at::cuda::graph_pool_handle();
  std::map<BatchSize, std::unique_ptr<Recording>> by_size;
};

}  // namespace

struct BatchRecordings::Parts {
  Forward forward;
  Sight sight;
  at::TensorOptions options;
  std::array<Lane, 2> lanes = {};
  std::size_t next_lane = 0;

  Recording& recording_for(Lane& lane, const BatchSize& size, const at::Tensor& numbers);
};

bool BatchRecordings::are_supported() { return true; }

BatchRecordings::BatchRecordings(Forward forward, Sight sight, at::TensorOptions options)
    : parts_(std::make_unique<Parts>(Parts{std::move(forward), sight, options})) {}

BatchRecordings::BatchRecordings(BatchRecordings&&) noexcept = default;
BatchRecordings& BatchRecordings::operator=(BatchRecordings&&) noexcept = default;
BatchRecordings::~BatchRecordings() = default;

Recording& BatchRecordings::Parts::recording_for(Lane& lane, const BatchSize& size, const at::Tensor& numbers) {
  auto& recording = lane.by_size[size];
  if (recording != nullptr) return *recording;
  auto made = std::make_unique<Recording>();
  made->numbers = numbers.to(options.device(), at::kInt);
  const FilledInput views = views_of_filled(made->numbers, size, sight);
  // Libraries set themselves up at their first call, which a recording must not see.
  forward(views.input, views.rows);
  lane.stream.synchronize();
  made->graph.capture_begin(lane.pool);
  made->output = forward(views.input, views.rows);
  made->graph.capture_end();
  recording = std::move(made);
  return *recording;
}

at::Tensor BatchRecordings::run(const PackedTokens& tokens, const std::vector<std::int64_t>& rows) {
  const auto count = static_cast<std::int64_t>(rows.size());
  const BatchSize size = filled_size(tokens, count);
  const std::vector<std::int32_t> filled = fill(tokens, rows, size);
  at::Tensor staged = at::empty({size.numbers()}, at::TensorOptions().dtype(at::kInt).pinned_memory(true));
  std::memcpy(staged.mutable_data_ptr<std::int32_t>(), filled.data(), filled.size() * sizeof(std::int32_t));

  const c10::cuda::CUDAStream callers = c10::cuda::getCurrentCUDAStream();
  Lane& lane = parts_->lanes[parts_->next_lane++ % parts_->lanes.size()];
  at::Tensor values;
  {
    const c10::cuda::CUDAStreamGuard guard(lane.stream);
    Recording& recording = parts_->recording_for(lane, size, staged);
    recording.numbers.copy_(staged, /*non_blocking=*/true);
    recording.graph.replay();
    // The output's memory is that of all the lane's recordings: take the values before the next one runs.
    values = recording.output.narrow(0, 0, count).clone();
  }
  // What the caller does with the values waits for them.
  at::cuda::CUDAEvent done;
  done.record(lane.stream);
  done.block(callers);
  c10::cuda::CUDACachingAllocator::recordStream(values.storage().data_ptr(), callers);
  return values;
}

}  // namespace gumption
