#pragma once

// Named arrays of numbers as a checkpoint's files hold them.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gumption {

enum class ElementType { kFloat64, kFloat32, kFloat16, kBfloat16, kInt64, kInt32, kInt16, kInt8, kUint8, kBool };

/// Bytes of one element.
std::size_t size_of(ElementType type);

/// "float32", "bfloat16", …
std::string_view name_of(ElementType type);

bool is_floating(ElementType type);

/// One array: row-major, little-endian, without gaps. A shape without entries is a single number.
struct StoredTensor {
  std::string name;
  ElementType type = ElementType::kFloat32;
  std::vector<std::int64_t> shape;
  std::string_view bytes;  // as long as the shape says; need not be aligned; lives as long as its store
};

/// Number of elements. InternalError where it doesn't fit, which the readers refuse.
std::int64_t element_count(const StoredTensor& tensor);

/// "[30522, 768]".
std::string to_text(const std::vector<std::int64_t>& shape);

/// The tensors of a checkpoint and what their bytes lie in. Never changes; any number of threads may read. Held by
/// shared_ptr, so that whoever wraps the bytes without copying can keep them alive.
class TensorStore {
 public:
  /// `owners` are what the bytes lie in: mapped files, buffers, other stores. Names must differ.
  TensorStore(std::vector<StoredTensor> tensors, std::vector<std::shared_ptr<const void>> owners);

  /// Sorted by name.
  const std::vector<StoredTensor>& tensors() const { return tensors_; }

  /// nullptr where there is none of that name.
  const StoredTensor* find(std::string_view name) const;

 private:
  std::vector<StoredTensor> tensors_;
  std::vector<std::shared_ptr<const void>> owners_;
};

// Readers. Each maps its files and copies nothing unless the header says so; the files must not change while the store
// lives. UserError, which names the file, for what is damaged, hostile or not supported.

/// A .safetensors file.
std::shared_ptr<const TensorStore> open_safetensors(const std::filesystem::path& path);

/// A model.safetensors.index.json and the files beside it that it names.
std::shared_ptr<const TensorStore> open_sharded_safetensors(const std::filesystem::path& index);

/// What torch.save writes for a state dict, in the zip form or the older one. No pickle code is run: only what state
/// dicts are made of is understood. Tensors with gaps or of another order are copied.
std::shared_ptr<const TensorStore> open_pytorch_bin(const std::filesystem::path& path);

/// A pytorch_model.bin.index.json and the files beside it that it names.
std::shared_ptr<const TensorStore> open_sharded_pytorch_bin(const std::filesystem::path& index);

/// A TensorFlow checkpoint: the prefix of PREFIX.index and PREFIX.data-…, that index file itself, or a folder with one
/// of them or with variables/variables.index (a SavedModel). Names and shapes as TensorFlow has them; arrays of text
/// are left out. UserError without the feature `tensorflow`.
std::shared_ptr<const TensorStore> open_tensorflow(const std::filesystem::path& prefix_or_folder);

/// OpenAI's GPT-1: params_shapes.json and params_0.npy, params_1.npy, … with all values one after another. Named by
/// their order, "transformer.positions_embed.weight" first, with the kernels' leading 1 taken off.
std::shared_ptr<const TensorStore> open_gpt1_npy(const std::filesystem::path& folder);

}  // namespace gumption
