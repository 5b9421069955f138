#pragma once

// Looking at tensors, for the tests of this room.

#include <cstring>
#include <string>
#include <vector>

#include "gumption/base/error.h"
#include "gumption/weights/float_conversion.h"
#include "gumption/weights/tensor_store.h"

namespace gumption::test {

/// The values of a floating-point tensor.
inline std::vector<double> values_of(const StoredTensor& tensor) {
  std::string bytes;
  convert_elements(tensor.bytes, tensor.type, ElementType::kFloat64, [&](std::string_view part) { bytes += part; });
  std::vector<double> values(bytes.size() / sizeof(double));
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

template <class Action>
std::string complaint_of(Action&& action) {
  try {
    action();
  } catch (const UserError& error) {
    return error.what();
  }
  return "(no complaint)";
}

/// Little-endian bytes of a number.
template <class Number>
std::string bytes_of(Number value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace gumption::test
