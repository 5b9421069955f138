#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "gumption/base/effect_size.h"
#include "gumption/base/files.h"

namespace gumption {

/// Values that belong together.
struct ValueGroup {
  std::string name;
  Moments values;
};

/// How far the first group's mean stands above the second's.
struct GroupDifference {
  ValueGroup first;
  ValueGroup second;
  EffectSize effect;
};

/// Cohen's d of a table with the columns group and value; the group that is named first comes first. UserError, with
/// the line, for a value that isn't a finite number or a third group, and for groups that are too small or don't vary.
GroupDifference measure_effect(const std::filesystem::path& path);
GroupDifference measure_effect(std::unique_ptr<ByteSource> source);

}  // namespace gumption
