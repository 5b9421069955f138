// Any bytes as a .npy file: tensors whose bytes can all be read, or a UserError; nothing else.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "gumption/base/error.h"
#include "gumption/weights/npy.h"

#include "touch_tensor.h"

using namespace gumption;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    touch(parse_npy(bytes, "fuzzed"));
  } catch (const UserError&) {
  }
  return 0;
}
