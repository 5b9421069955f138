#pragma once

// What `measure compare` and `eval --against` share: printing how one system stands against others.

#include <string>
#include <vector>

#include "gumption/measure/paired_tests.h"

namespace gumption::cli {

/// Another system, and the first one compared with it.
struct Rival {
  std::string name;
  Comparison result;
};

/// A p value to four places, with its stars in a column of their own: ".0163 *  ".
std::string with_stars(double p);

/// A difference of accuracies in points: "+7.8", "-0.4".
std::string in_points(double difference);

/// A table with a row for each rival; of several, p values after Holm's correction are added.
void print_rivals(const std::vector<Rival>& rivals);

/// p values of all rivals, corrected together.
struct CorrectedP {
  std::vector<double> randomisation;
  std::vector<double> mcnemar;
};
CorrectedP corrected(const std::vector<Rival>& rivals);

}  // namespace gumption::cli
