#pragma once

#include <functional>
#include <string_view>

#include "gumption/weights/tensor_store.h"

namespace gumption {

/// Gives `bytes` of type `from` to `sink` as type `to`, in pieces; as they are where the types are equal. Both must be
/// floating-point otherwise. Rounds to nearest, ties to even; what doesn't fit becomes infinite, as in PyTorch.
void convert_elements(std::string_view bytes, ElementType from, ElementType to,
                      const std::function<void(std::string_view)>& sink);

}  // namespace gumption
