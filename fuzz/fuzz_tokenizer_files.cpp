// Any bytes as a tokenizer file: loads and works, or a UserError; nothing else. The first byte chooses the kind of
// file; the parts of a pair of files are separated by a NUL.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "gumption/base/error.h"
#include "gumption/text/tokenizer_files.h"

namespace {

using namespace gumption;

std::unique_ptr<Tokenizer> load(std::uint8_t kind, std::string_view bytes) {
  if (kind % 3 == 0) return parse_tokenizer_json(bytes, "fuzzed");
  const std::size_t cut = std::min(bytes.find('\0'), bytes.size());
  const std::string_view first = bytes.substr(0, cut);
  const std::string_view second = bytes.substr(std::min(cut + 1, bytes.size()));
  if (kind % 3 == 1) return parse_wordpiece(first, "fuzzed", second, "fuzzed");
  return parse_bpe(first, "fuzzed", second, "fuzzed");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    const auto tokenizer = load(data[0], bytes);
    const Encoding encoding = tokenizer->encode_with_offsets(bytes);
    ensure(tokenizer->encode(bytes) == encoding.ids, "the fast way gives other ids");
    tokenizer->decode(encoding.ids);
  } catch (const UserError&) {
  }
  return 0;
}
