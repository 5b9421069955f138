// Any bytes as a file of torch.save: tensors whose bytes can all be read, or a UserError; nothing else.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "gumption/base/error.h"
#include "gumption/weights/pytorch_bin.h"

#include "touch_tensor.h"

using namespace gumption;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const auto store = parse_pytorch_bin(bytes, nullptr, "fuzzed");
    for (const StoredTensor& tensor : store->tensors()) touch(tensor);
  } catch (const UserError&) {
  }
  return 0;
}
