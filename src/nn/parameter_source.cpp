#include "gumption/nn/parameter_source.h"

#include <fmt/format.h>

#include "gumption/base/error.h"

namespace gumption {

namespace {

at::ScalarType scalar_type_of(ElementType type) {
  switch (type) {
    case ElementType::kFloat64:
      return at::kDouble;
    case ElementType::kFloat32:
      return at::kFloat;
    case ElementType::kFloat16:
      return at::kHalf;
    case ElementType::kBfloat16:
      return at::kBFloat16;
    case ElementType::kInt64:
      return at::kLong;
    case ElementType::kInt32:
      return at::kInt;
    case ElementType::kInt16:
      return at::kShort;
    case ElementType::kInt8:
      return at::kChar;
    case ElementType::kUint8:
      return at::kByte;
    case ElementType::kBool:
      return at::kBool;
  }
  throw InternalError("an element type of no tensor");
}

}  // namespace

at::Tensor borrow_tensor(const std::shared_ptr<const TensorStore>& store, const StoredTensor& stored) {
  const at::ScalarType type = scalar_type_of(stored.type);
  // Tensors have no read-only form; nobody writes to borrowed ones.
  char* data = const_cast<char*>(stored.bytes.data());
  const bool aligned = reinterpret_cast<std::uintptr_t>(data) % c10::elementSize(type) == 0;
  if (aligned)
    return at::from_blob(
        data, stored.shape, [store](void*) {}, type);
  at::Tensor copy = at::empty(stored.shape, type);
  std::memcpy(copy.mutable_data_ptr(), data, stored.bytes.size());
  return copy;
}

ParameterSource::ParameterSource(const Checkpoint& checkpoint, at::TensorOptions options, bool trainable)
    : checkpoint_(checkpoint), options_(options), trainable_(trainable) {}

bool ParameterSource::has(const std::string& name) const { return checkpoint_.tensors->find(name) != nullptr; }

at::TensorOptions ParameterSource::exact() const {
  return options_.dtype(options_.dtype() == at::kDouble ? at::kDouble : at::kFloat);
}

at::Tensor ParameterSource::take(const std::string& name) { return load(name, trainable_ ? exact() : options_); }

at::Tensor ParameterSource::take_matrix(const std::string& name) {
  return load(name, trainable_ ? exact() : options_, true);
}

at::Tensor ParameterSource::take_exact(const std::string& name) { return load(name, exact()); }

at::Tensor ParameterSource::create(const std::string& name, at::Tensor value) {
  taken_.push_back({name, value});
  return value;
}

at::Tensor ParameterSource::load(const std::string& name, const at::TensorOptions& options, bool is_matrix) {
  const StoredTensor* stored = checkpoint_.tensors->find(name);
  if (stored == nullptr) {
    throw UserError(fmt::format("{}: there is no tensor {}. `gumption model info` says what a checkpoint lacks.",
                                checkpoint_.folder.string(), in_quotes(name)));
  }
  at::Tensor tensor = borrow_tensor(checkpoint_.tensors, *stored);
  const at::Tensor placed = tensor.to(options);
  if (trainable_ && placed.is_same(tensor)) {
    tensor = tensor.clone();
  } else {
    tensor = placed;
  }
  taken_.push_back({name, tensor, is_matrix});
  return tensor;
}

}  // namespace gumption
