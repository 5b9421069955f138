#pragma once

#include <string>

#include "gumption/weights/tensor_store.h"

namespace gumption {

/// The bytes of a tensor of two dimensions with rows and columns exchanged.
std::string transposed(const StoredTensor& tensor);

}  // namespace gumption
