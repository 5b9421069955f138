#include "gumption/corpus/pair_counts.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gumption/base/error.h"

namespace gumption {

std::size_t PairCounts::window_index(std::uint64_t window) const {
  const auto& known = windows();
  const auto found = std::find(known.begin(), known.end(), window);
  if (found == known.end()) {
    throw UserError(fmt::format("There are no counts for a window of {}, only for {}. Build them with --windows.",
                                window, fmt::join(known, ", ")));
  }
  return static_cast<std::size_t>(found - known.begin());
}

std::vector<std::uint64_t> parse_windows(std::string_view text) {
  constexpr std::int64_t kLargest = 10'000;
  constexpr std::size_t kMost = 8;
  std::vector<std::uint64_t> windows;
  for (const std::string_view part : split_text(text, ',')) {
    const auto value = parse_integer(part);
    if (!value || *value < 1 || *value > kLargest) {
      throw UserError(fmt::format("windows: expected numbers of words from 1 to 10,000 with commas between, found {}.",
                                  in_quotes(text)));
    }
    windows.push_back(static_cast<std::uint64_t>(*value));
  }
  std::sort(windows.begin(), windows.end());
  windows.erase(std::unique(windows.begin(), windows.end()), windows.end());
  if (windows.size() > kMost)
    throw UserError(fmt::format("windows: expected at most {}, found {}.", kMost, windows.size()));
  return windows;
}

std::vector<std::uint8_t> bucket_of_distance(std::span<const std::uint64_t> windows) {
  std::vector<std::uint8_t> buckets = {0};
  for (std::size_t i = 0; i < windows.size(); ++i) buckets.resize(windows[i] + 1, static_cast<std::uint8_t>(i));
  return buckets;
}

}  // namespace gumption
