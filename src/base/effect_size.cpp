#include "gumption/base/effect_size.h"

#include <cmath>

namespace gumption {

double Moments::standard_deviation() const { return count < 2 ? 0 : std::sqrt(squares / (count - 1)); }

std::optional<EffectSize> cohens_d(const Moments& a, const Moments& b) {
  if (a.count < 2 || b.count < 2) return std::nullopt;
  const double pooled = std::sqrt((a.squares + b.squares) / (a.count + b.count - 2));
  if (pooled == 0) return std::nullopt;
  const double d = (a.mean - b.mean) / pooled;
  const double error = std::sqrt((a.count + b.count) / (a.count * b.count) + d * d / (2 * (a.count + b.count)));
  return EffectSize{d, {d - kNormal95 * error, d + kNormal95 * error}};
}

}  // namespace gumption
