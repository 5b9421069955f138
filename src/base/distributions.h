#pragma once

// The few tail probabilities that checks and measures need.

namespace gumption {

/// Two-sided 95% point of the normal distribution.
inline constexpr double kNormal95 = 1.959963984540054;

/// P(X ≥ x) for a chi-square variable. `degrees` ≥ 1, `x` ≥ 0.
double chi_square_upper_tail(double x, int degrees);

/// An interval with a centre of interest between 0 and 1.
struct Interval {
  double low = 0;
  double high = 1;
};

/// Wilson's 95% score interval for `successes` of `trials`; [0, 1] for no trials.
Interval wilson_interval(double successes, double trials);

}  // namespace gumption
