#include "gumption/base/checksum.h"

#include <array>
#include <vector>

#include <fmt/format.h>

#include "gumption/base/build_info.h"
#include "gumption/base/files.h"

#if GUMPTION_WITH_CHECKSUMS
#include <sodium.h>
#endif

namespace gumption {

std::string sha256_of_file(const std::filesystem::path& path) {
  require_feature("checksums");
#if GUMPTION_WITH_CHECKSUMS
  const auto source = open_plain(path);
  crypto_hash_sha256_state state;
  crypto_hash_sha256_init(&state);
  std::vector<char> buffer(1 << 18);
  while (const std::size_t got = source->read(buffer.data(), buffer.size())) {
    crypto_hash_sha256_update(&state, reinterpret_cast<const unsigned char*>(buffer.data()), got);
  }
  std::array<unsigned char, crypto_hash_sha256_BYTES> digest{};
  crypto_hash_sha256_final(&state, digest.data());
  std::string text;
  for (const unsigned char byte : digest) text += fmt::format("{:02x}", byte);
  return text;
#else
  return {};
#endif
}

}  // namespace gumption
