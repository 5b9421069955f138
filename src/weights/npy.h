#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "gumption/weights/tensor_store.h"

namespace gumption {

/// Reads a whole .npy file (NumPy's format, versions 1 to 3): little-endian numbers in C order. The result's name is
/// empty and its bytes lie in `bytes`; `name` is for messages. UserError for what is damaged or of another kind.
StoredTensor parse_npy(std::string_view bytes, const std::string& name);

}  // namespace gumption
