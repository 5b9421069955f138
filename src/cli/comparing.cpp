#include "cli/comparing.h"

#include <fmt/format.h>

#include "cli/output.h"

namespace gumption::cli {

std::string with_stars(double p) {
  const std::string number = p < 0.0001 ? "<.0001" : p >= 0.99995 ? "1.0000" : fmt::format("{:.4f}", p).substr(1);
  return fmt::format("{} {:<3}", number, stars(p));
}

std::string in_points(double difference) { return fmt::format("{:+.1f}", 100 * difference); }

CorrectedP corrected(const std::vector<Rival>& rivals) {
  CorrectedP p;
  for (const Rival& rival : rivals) {
    p.randomisation.push_back(rival.result.p_randomisation);
    p.mcnemar.push_back(rival.result.p_mcnemar);
  }
  return {holm(p.randomisation), holm(p.mcnemar)};
}

void print_rivals(const std::vector<Rival>& rivals) {
  const bool several = rivals.size() > 1;
  std::vector<std::string> header = {"against", "difference", "95% interval", "p randomisation", "p McNemar"};
  if (several) header.insert(header.end(), {"p randomisation, Holm", "p McNemar, Holm"});
  Table table(header);
  const CorrectedP holm = corrected(rivals);
  for (std::size_t i = 0; i < rivals.size(); ++i) {
    const Comparison& result = rivals[i].result;
    std::vector<std::string> row = {
        rivals[i].name, in_points(result.counts.difference()),
        fmt::format("{} to {}", in_points(result.interval.low), in_points(result.interval.high)),
        with_stars(result.p_randomisation), with_stars(result.p_mcnemar)};
    if (several) row.insert(row.end(), {with_stars(holm.randomisation[i]), with_stars(holm.mcnemar[i])});
    table.add(std::move(row));
  }
  table.print();
}

}  // namespace gumption::cli
