#pragma once

// Where a run stands, from which it goes on as if it had never stopped: nothing random is kept but the seed.

#include <cstdint>
#include <filesystem>
#include <vector>

#include <ATen/ATen.h>

#include "gumption/cluster/process_group.h"
#include "gumption/train/adam.h"
#include "gumption/train/parameter_store.h"

namespace gumption {

/// The best model so far.
struct BestSoFar {
  std::uint64_t step = 0;  // 0: none was measured
  double measure = 0;
  std::uint64_t evaluations = 0;         // since then
  std::vector<at::Tensor> weights = {};  // arrays as the store's, on the host; in the first process only
};

struct TrainingProgress {
  std::uint64_t step = 0;  // steps that are done
  double loss = 0;         // of the last of them
  BestSoFar best;
};

/// Writes everything into one file, which keeps its old content until all of the new is on the disk.
void save_state(const std::filesystem::path& file, const TrainingProgress& progress, const ParameterStore& store,
                Adam& adam);

/// UserError where the file is damaged or of another model.
TrainingProgress load_state(const std::filesystem::path& file, ParameterStore& store, Adam& adam);

/// Gives the state of the group's first process to all.
void share_state(ProcessGroup& group, TrainingProgress& progress, ParameterStore& store, Adam& adam);

}  // namespace gumption
