#pragma once

#include <cstddef>

#include "gumption/base/error.h"
#include "gumption/weights/tensor_store.h"

namespace gumption {

/// Reads every byte of a tensor, so that a sanitizer sees a range that isn't there.
inline void touch(const StoredTensor& tensor) {
  ensure(static_cast<std::size_t>(element_count(tensor)) * size_of(tensor.type) == tensor.bytes.size(),
         "a tensor has the bytes that its shape asks for");
  static volatile char sink = 0;
  for (const char byte : tensor.bytes) sink = static_cast<char>(sink ^ byte);
}

}  // namespace gumption
