#include "gumption/weights/tensor_store.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gumption/base/error.h"
#include "gumption/weights/checked_shape.h"

namespace gumption {

std::size_t size_of(ElementType type) {
  switch (type) {
    case ElementType::kFloat64:
    case ElementType::kInt64:
      return 8;
    case ElementType::kFloat32:
    case ElementType::kInt32:
      return 4;
    case ElementType::kFloat16:
    case ElementType::kBfloat16:
    case ElementType::kInt16:
      return 2;
    case ElementType::kInt8:
    case ElementType::kUint8:
    case ElementType::kBool:
      return 1;
  }
  throw InternalError("an element type without a size");
}

std::string_view name_of(ElementType type) {
  switch (type) {
    case ElementType::kFloat64:
      return "float64";
    case ElementType::kFloat32:
      return "float32";
    case ElementType::kFloat16:
      return "float16";
    case ElementType::kBfloat16:
      return "bfloat16";
    case ElementType::kInt64:
      return "int64";
    case ElementType::kInt32:
      return "int32";
    case ElementType::kInt16:
      return "int16";
    case ElementType::kInt8:
      return "int8";
    case ElementType::kUint8:
      return "uint8";
    case ElementType::kBool:
      return "bool";
  }
  throw InternalError("an element type without a name");
}

bool is_floating(ElementType type) {
  return type == ElementType::kFloat64 || type == ElementType::kFloat32 || type == ElementType::kFloat16 ||
         type == ElementType::kBfloat16;
}

std::int64_t element_count(const StoredTensor& tensor) {
  const auto count = checked_count(tensor.shape);
  ensure(count.has_value(), "a stored tensor's shape was checked");
  return *count;
}

std::string to_text(const std::vector<std::int64_t>& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

TensorStore::TensorStore(std::vector<StoredTensor> tensors, std::vector<std::shared_ptr<const void>> owners)
    : tensors_(std::move(tensors)), owners_(std::move(owners)) {
  std::sort(tensors_.begin(), tensors_.end(),
            [](const StoredTensor& a, const StoredTensor& b) { return a.name < b.name; });
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    const StoredTensor& tensor = tensors_[i];
    ensure(i == 0 || tensors_[i - 1].name != tensor.name, "names in a store differ");
    ensure(static_cast<std::size_t>(element_count(tensor)) * size_of(tensor.type) == tensor.bytes.size(),
           "a stored tensor has the bytes that its shape asks for");
  }
}

const StoredTensor* TensorStore::find(std::string_view name) const {
  const auto found =
      std::lower_bound(tensors_.begin(), tensors_.end(), name,
                       [](const StoredTensor& tensor, std::string_view key) { return tensor.name < key; });
  return found != tensors_.end() && found->name == name ? &*found : nullptr;
}

}  // namespace gumption
