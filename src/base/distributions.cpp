#include "gumption/base/distributions.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gumption/base/error.h"

namespace gumption {

namespace {

/// Regularised lower incomplete gamma P(a, x) by its series; converges fast for x < a + 1.
double lower_gamma_series(double a, double x) {
  double term = 1.0 / a;
  double sum = term;
  for (int n = 1; n < 10'000 && term > sum * std::numeric_limits<double>::epsilon(); ++n) {
    term *= x / (a + n);
    sum += term;
  }
  return sum * std::exp(-x + a * std::log(x) - std::lgamma(a));
}

/// Regularised upper incomplete gamma Q(a, x) by Lentz's continued fraction; for x ≥ a + 1.
double upper_gamma_fraction(double a, double x) {
  constexpr double kTiny = std::numeric_limits<double>::min() / std::numeric_limits<double>::epsilon();
  double b = x + 1.0 - a;
  double c = 1.0 / kTiny;
  double d = 1.0 / b;
  double h = d;
  for (int n = 1; n < 10'000; ++n) {
    const double an = -n * (n - a);
    b += 2.0;
    d = an * d + b;
    if (std::abs(d) < kTiny) d = kTiny;
    c = b + an / c;
    if (std::abs(c) < kTiny) c = kTiny;
    d = 1.0 / d;
    const double step = d * c;
    h *= step;
    if (std::abs(step - 1.0) < std::numeric_limits<double>::epsilon()) break;
  }
  return h * std::exp(-x + a * std::log(x) - std::lgamma(a));
}

}  // namespace

double chi_square_upper_tail(double x, int degrees) {
  ensure(degrees >= 1 && x >= 0, "chi-square arguments are in range");
  if (x == 0) return 1.0;
  const double a = degrees / 2.0;
  const double half = x / 2.0;
  return half < a + 1.0 ? 1.0 - lower_gamma_series(a, half) : upper_gamma_fraction(a, half);
}

double binomial_two_sided(std::size_t successes, std::size_t trials, double probability) {
  ensure(successes <= trials && probability > 0 && probability < 1, "binomial arguments are in range");
  const double log_chance = std::log(probability);
  const double log_other = std::log1p(-probability);
  const double n = static_cast<double>(trials);
  const auto log_mass = [&](std::size_t count) {
    const double k = static_cast<double>(count);
    return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) + k * log_chance + (n - k) * log_other;
  };
  // Numbers that are exactly as likely must count on both sides, whatever the rounding.
  constexpr double kRoundingSlack = 1e-7;
  const double most = log_mass(successes) + kRoundingSlack;
  double sum = 0;
  bool is_likeliest = true;
  for (std::size_t count = 0; count <= trials; ++count) {
    const double mass = log_mass(count);
    if (mass <= most) {
      sum += std::exp(mass);
    } else {
      is_likeliest = false;
    }
  }
  return is_likeliest ? 1.0 : std::min(1.0, sum);
}

Interval wilson_interval(double successes, double trials) {
  if (trials <= 0) return {};
  const double z2 = kNormal95 * kNormal95;
  const double share = successes / trials;
  const double centre = (share + z2 / (2 * trials)) / (1 + z2 / trials);
  const double half =
      kNormal95 / (1 + z2 / trials) * std::sqrt(share * (1 - share) / trials + z2 / (4 * trials * trials));
  return {std::max(0.0, centre - half), std::min(1.0, centre + half)};
}

}  // namespace gumption
