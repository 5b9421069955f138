#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <c10/util/Exception.h>

namespace gumption {

/// Whether the engine ran out of memory: a GPU's error has a type of its own, the CPU's only words.
bool is_out_of_memory(const c10::Error& error);

using Items = std::span<const std::size_t>;

/// Cuts items into batches of at most `budget` tokens (a longer item stands alone), items of like length together.
std::vector<std::vector<std::size_t>> cut_batches(std::span<const std::int64_t> lengths, std::int64_t budget);

/// Calls `run` with the items of one batch after another. A batch that doesn't fit into memory is halved, and so is
/// `budget`, for the batches to come; UserError where a single item doesn't fit. `run` must give each item the same
/// result whatever stands beside it.
void run_in_batches(std::span<const std::int64_t> lengths, std::int64_t& budget, const std::function<void(Items)>& run);

}  // namespace gumption
