#pragma once

// How a model is fitted, whatever it learns.

#include <cstdint>

#include "gumption/base/options.h"

namespace gumption {

enum class Schedule {
  kLinear,    // up to the peak, then down to zero at the end
  kBert,      // Google's and BertAdam's: up to the peak, then 1 - x of all steps, with a small jump down
  kConstant,  // up to the peak, then level
};

enum class DecaySet {
  kMatrices,  // not biases and norms
  kAll,
  kNone,
};

enum class ClipPer {
  kGlobal,  // the norm of all gradients together
  kTensor,  // each tensor's, as BertAdam does it
};

struct AdamOptions {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-6;
  bool bias_correction = true;  // Google's BERT and BertAdam have none
  double weight_decay = 0.01;
  DecaySet decay = DecaySet::kMatrices;
  double clip = 1;  // 0: none
  ClipPer clip_per = ClipPer::kGlobal;
};
OptionSet describe(AdamOptions& options);

struct TrainOptions {
  double lr = 2e-5;  // at its peak
  std::uint64_t epochs = 3;
  std::uint64_t steps = 0;   // 0: as many as the epochs have
  std::uint64_t batch = 32;  // examples of a step, over all processes
  std::uint64_t seed = 1;
  bool shuffle = true;
  Schedule schedule = Schedule::kLinear;
  double warmup = 0.1;  // share of the steps
  AdamOptions adam;
  double dropout = -1;           // all rates; negative: the model's own
  std::uint64_t eval_steps = 0;  // steps between two evaluations; 0: after each epoch
  std::uint64_t patience = 0;    // evaluations without gain after which it ends; 0: never
  std::uint64_t save_steps = 0;  // steps between two saved states; 0: by time
  double save_minutes = 10;      // minutes between two saved states
  bool from_scratch = false;     // random weights in the place of the checkpoint's
};
OptionSet describe(TrainOptions& options);

/// Steps of an epoch; the last of one may be smaller than `batch`.
std::uint64_t steps_per_epoch(std::uint64_t examples, std::uint64_t batch);

/// Steps of the whole run.
std::uint64_t total_steps(const TrainOptions& options, std::uint64_t examples);

/// The rate of a step, which count from 1; the first of a warm-up is 0, as in the originals.
double rate_at(const TrainOptions& options, std::uint64_t step, std::uint64_t total);

}  // namespace gumption
