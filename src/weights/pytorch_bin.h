#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "gumption/weights/tensor_store.h"

namespace gumption {

/// open_pytorch_bin() over a whole file's `bytes`, which `owner` keeps alive; `name` is for messages.
std::shared_ptr<const TensorStore> parse_pytorch_bin(std::string_view bytes, std::shared_ptr<const void> owner,
                                                     const std::string& name);

}  // namespace gumption
