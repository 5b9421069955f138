#pragma once

// The safetensors format: eight bytes of header length, a JSON header, the tensors' bytes.

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "gumption/weights/tensor_store.h"

namespace gumption {

/// Reads a whole file's `bytes`, which `owner` keeps alive; `name` is for messages. The header must account for every
/// byte of the data: no overlaps, no gaps, no rest.
std::shared_ptr<const TensorStore> parse_safetensors(std::string_view bytes, std::shared_ptr<const void> owner,
                                                     const std::string& name);

/// Writes a file that appears whole or not at all; floating-point tensors are converted to `precision` where one is
/// given. The header says that PyTorch's conventions hold, which `transformers` asks for.
void write_safetensors(const std::filesystem::path& path, std::span<const StoredTensor> tensors,
                       std::optional<ElementType> precision);

}  // namespace gumption
