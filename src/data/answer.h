#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "gumption/base/error.h"

namespace gumption {

/// What a system says about one question: a score for each choice, and the choice of the highest. Of equal ones the
/// lowest index is chosen, and `tie` says that it was so.
struct Answer {
  std::string id;
  std::vector<double> scores;
  int choice = 0;
  bool tie = false;
  std::vector<std::vector<double>> token_log_probabilities = {};  // of each choice, where they were asked for
};

/// `scores` must not be empty.
inline Answer make_answer(std::string id, std::vector<double> scores) {
  ensure(!scores.empty(), "an answer has scores");
  const auto best = std::max_element(scores.begin(), scores.end());
  const auto choice = static_cast<int>(best - scores.begin());
  const bool tie = std::count(scores.begin(), scores.end(), *best) > 1;
  return {std::move(id), std::move(scores), choice, tie, {}};
}

}  // namespace gumption
