// Any bytes as a TensorFlow index: entries, or a UserError; nothing else. After the first byte, which says whether the
// blocks' sums are set right first: mutation alone never hits them, and a hostile file has them right.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "gumption/base/error.h"
#include "gumption/weights/crc32c.h"
#include "gumption/weights/protobuf_fields.h"
#include "gumption/weights/tensorflow_index.h"

namespace {

using namespace gumption;

constexpr std::size_t kFooter = 48;

/// Sets the sum of the block that `handle` names, and gives the block; empty where it isn't inside.
std::string_view mend_block(std::string& table, std::string_view& handle) {
  const auto offset = take_varint(handle);
  const auto size = take_varint(handle);
  if (!offset || !size || *offset > table.size() || *size > table.size() - *offset ||
      table.size() - *offset - *size < 5) {
    return {};
  }
  table[*offset + *size] = 0;  // not compressed
  const std::uint32_t sum = masked_crc32c(std::string_view(table).substr(*offset, *size + 1));
  std::memcpy(table.data() + *offset + *size + 1, &sum, sizeof sum);
  return std::string_view(table).substr(*offset, *size);
}

void mend(std::string& table) {
  if (table.size() < kFooter) return;
  std::memcpy(table.data() + table.size() - 8, "\x57\xfb\x80\x8b\x24\x75\x47\xdb", 8);
  const std::string footer = table.substr(table.size() - kFooter);
  std::string_view handles = footer;
  mend_block(table, handles);
  const std::string index(mend_block(table, handles));
  std::string_view entries = index;
  while (!entries.empty()) {
    const auto shared = take_varint(entries);
    const auto unshared = take_varint(entries);
    const auto length = take_varint(entries);
    if (!shared || !unshared || !length || *unshared > entries.size() || *length > entries.size() - *unshared) break;
    std::string_view handle = entries.substr(*unshared, *length);
    mend_block(table, handle);
    entries.remove_prefix(*unshared + *length);
  }
  // Mending a block may have spoilt the index's.
  std::string_view again = footer;
  take_varint(again);
  take_varint(again);
  mend_block(table, again);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 4 != 0) mend(bytes);
  try {
    parse_bundle_index(bytes, "fuzzed");
  } catch (const UserError&) {
  }
  return 0;
}
