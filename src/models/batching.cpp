#include "gumption/models/batching.h"

#include <algorithm>
#include <numeric>
#include <string_view>

#include <c10/util/Exception.h>
#include <fmt/format.h>

#include "gumption/base/error.h"

namespace gumption {

std::vector<std::vector<std::size_t>> cut_batches(std::span<const std::int64_t> lengths, std::int64_t budget) {
  std::vector<std::size_t> order(lengths.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return lengths[a] < lengths[b]; });
  std::vector<std::vector<std::size_t>> batches;
  std::int64_t tokens = 0;
  for (const std::size_t item : order) {
    if (batches.empty() || tokens + lengths[item] > budget) {
      batches.emplace_back();
      tokens = 0;
    }
    batches.back().push_back(item);
    tokens += lengths[item];
  }
  return batches;
}

bool is_out_of_memory(const c10::Error& error) {
  return dynamic_cast<const c10::OutOfMemoryError*>(&error) != nullptr ||
         std::string_view(error.what()).find("can't allocate memory") != std::string_view::npos;
}

void run_in_batches(std::span<const std::int64_t> lengths, std::int64_t& budget,
                    const std::function<void(Items)>& run) {
  std::vector<std::vector<std::size_t>> waiting = cut_batches(lengths, budget);
  std::reverse(waiting.begin(), waiting.end());
  while (!waiting.empty()) {
    const std::vector<std::size_t> batch = std::move(waiting.back());
    waiting.pop_back();
    try {
      run(batch);
    } catch (const c10::Error& error) {
      if (!is_out_of_memory(error)) throw;
      if (batch.size() == 1) {
        throw UserError(fmt::format("A text of {} tokens doesn't fit into memory. Take a smaller --set max_length.",
                                    lengths[batch.front()]));
      }
      budget = std::max<std::int64_t>(1, budget / 2);
      const auto middle = batch.begin() + static_cast<std::ptrdiff_t>(batch.size() / 2);
      waiting.emplace_back(middle, batch.end());
      waiting.emplace_back(batch.begin(), middle);
    }
  }
}

}  // namespace gumption
