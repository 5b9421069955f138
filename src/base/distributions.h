#pragma once

// The few tail probabilities that checks and measures need.

#include <cstddef>

namespace gumption {

/// Two-sided 95% point of the normal distribution.
inline constexpr double kNormal95 = 1.959963984540054;

/// P(X ≥ x) for a chi-square variable. `degrees` ≥ 1, `x` ≥ 0.
double chi_square_upper_tail(double x, int degrees);

/// Exact two-sided test of `successes` in `trials` against a chance of `probability` each: the probability of all
/// numbers of successes that are no likelier than this one. `successes` ≤ `trials`, 0 < `probability` < 1; 1 for no
/// trials.
double binomial_two_sided(std::size_t successes, std::size_t trials, double probability);

/// An interval; of a share, and the widest there is, unless something else is said.
struct Interval {
  double low = 0;
  double high = 1;
};

/// Wilson's 95% score interval for `successes` of `trials`; [0, 1] for no trials.
Interval wilson_interval(double successes, double trials);

}  // namespace gumption
