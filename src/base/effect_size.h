#pragma once

#include <optional>

#include "gumption/base/distributions.h"

namespace gumption {

/// Count, mean and sum of squared distances from the mean of the values so far, in one pass without cancellation.
struct Moments {
  double count = 0;
  double mean = 0;
  double squares = 0;

  void add(double value) {
    ++count;
    const double step = value - mean;
    mean += step / count;
    squares += step * (value - mean);
  }

  /// With n - 1; 0 for fewer than two values.
  double standard_deviation() const;
};

/// A standardised difference of two means.
struct EffectSize {
  double d = 0;
  Interval interval;  // 95%, with Hedges and Olkin's large-sample standard error
};

/// Cohen's d: how far the mean of `a` stands above that of `b`, in pooled standard deviations. Nothing when either has
/// fewer than two values or nothing varies.
std::optional<EffectSize> cohens_d(const Moments& a, const Moments& b);

}  // namespace gumption
