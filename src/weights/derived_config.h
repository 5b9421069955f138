#pragma once

#include <map>
#include <string>

#include "gumption/weights/model_config.h"

namespace gumption {

/// The config of a model that came without one, from its tensors' shapes; `name` is for messages. What no shape shows
/// is taken from the published models: one head for each 64 of the width, and the architecture's defaults.
ModelConfig derive_config(Architecture architecture, const std::map<std::string, StoredTensor>& tensors,
                          const std::string& name);

}  // namespace gumption
