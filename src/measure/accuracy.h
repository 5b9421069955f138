#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "gumption/base/distributions.h"
#include "gumption/data/answer.h"
#include "gumption/data/question.h"

namespace gumption {

/// How many were right, out of how many.
struct Accuracy {
  std::size_t n = 0;
  std::size_t correct = 0;
  std::size_t ties = 0;  // answers in which the highest score stood more than once

  double share() const { return n == 0 ? 0 : static_cast<double>(correct) / static_cast<double>(n); }

  /// Wilson's 95% interval of the share.
  Interval interval() const { return wilson_interval(static_cast<double>(correct), static_cast<double>(n)); }
};

/// Counts answers against labels, in all and by each note that questions have (category, question_type, asks_for).
class AccuracyTally {
 public:
  /// A question without a label is counted apart.
  void add(const Question& question, const Answer& answer);

  const Accuracy& all() const { return all_; }
  std::size_t unlabelled() const { return unlabelled_; }

  /// note → value → accuracy; notes that no question has are left out.
  const std::map<std::string, std::map<std::string, Accuracy>>& by() const { return by_; }

 private:
  Accuracy all_;
  std::size_t unlabelled_ = 0;
  std::map<std::string, std::map<std::string, Accuracy>> by_;
};

}  // namespace gumption
