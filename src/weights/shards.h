#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "gumption/weights/tensor_store.h"

namespace gumption {

/// The files that an index in Hugging Face's form ("weight_map": {"tensor": "file", …}) names, which must stand beside
/// it, as one store. UserError for tensors that stand twice or not where the index says.
std::shared_ptr<const TensorStore> open_shards(
    const std::filesystem::path& index,
    const std::function<std::shared_ptr<const TensorStore>(const std::filesystem::path&)>& open);

}  // namespace gumption
