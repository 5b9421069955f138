#pragma once

// What this build is: its version and the features that were switched on.

#include <string>
#include <vector>

namespace gumption {

struct Feature {
  std::string name;  // as in the CMake option GUMPTION_WITH_NAME, lower case
  std::string what;  // one line for `gumption doctor`
  bool built_in = false;
};

struct BuildInfo {
  std::string version;
  std::string build_type;
  std::string compiler;
  std::vector<Feature> features;
};

const BuildInfo& build_info();

/// Whether a feature, which must exist, is built in.
bool has_feature(const std::string& name);

/// Throws a UserError that says which build option brings the feature, unless it is built in.
void require_feature(const std::string& name);

}  // namespace gumption
