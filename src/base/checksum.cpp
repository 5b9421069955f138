#include "gumption/base/checksum.h"

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>
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

namespace {

/// SHA-1 (FIPS 180-4). libsodium leaves it out because it is no longer safe against forgers; git's ids are still made
/// of it.
class Sha1 {
 public:
  void add(std::string_view bytes) {
    length_ += bytes.size();
    for (const char byte : bytes) {
      block_[filled_++] = static_cast<unsigned char>(byte);
      if (filled_ == block_.size()) take_block();
    }
  }

  std::string finish() {
    const std::uint64_t bits = length_ * 8;
    add({"\x80", 1});
    while (filled_ != block_.size() - sizeof bits) add({"\0", 1});
    for (int shift = 56; shift >= 0; shift -= 8) {
      const char byte = static_cast<char>((bits >> shift) & 0xFF);
      add({&byte, 1});
    }
    std::string text;
    for (const std::uint32_t word : state_) text += fmt::format("{:08x}", word);
    return text;
  }

 private:
  void take_block() {
    std::array<std::uint32_t, 80> words{};
    for (std::size_t i = 0; i < 64; ++i) words[i / 4] = (words[i / 4] << 8) | block_[i];
    for (std::size_t i = 16; i < 80; ++i) {
      words[i] = std::rotl(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
    }
    auto [a, b, c, d, e] = state_;
    for (std::size_t i = 0; i < 80; ++i) {
      const std::uint32_t mixed = i < 20              ? (b & c) | (~b & d)
                                  : i >= 40 && i < 60 ? (b & c) | (b & d) | (c & d)
                                                      : b ^ c ^ d;
      constexpr std::array<std::uint32_t, 4> kRound = {0x5A827999, 0x6ED9EBA1, 0x8F1BBCDC, 0xCA62C1D6};
      const std::uint32_t next = std::rotl(a, 5) + mixed + e + kRound[i / 20] + words[i];
      e = d;
      d = c;
      c = std::rotl(b, 30);
      b = a;
      a = next;
    }
    const std::array<std::uint32_t, 5> sums = {a, b, c, d, e};
    for (std::size_t i = 0; i < sums.size(); ++i) state_[i] += sums[i];
    filled_ = 0;
  }

  std::array<std::uint32_t, 5> state_ = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
  std::array<unsigned char, 64> block_{};
  std::size_t filled_ = 0;
  std::uint64_t length_ = 0;
};

}  // namespace

std::string git_blob_of_file(const std::filesystem::path& path) {
  const auto source = open_plain(path);
  Sha1 sum;
  const std::string head = fmt::format("blob {}", std::filesystem::file_size(path));
  sum.add({head.c_str(), head.size() + 1});
  std::vector<char> buffer(1 << 18);
  while (const std::size_t got = source->read(buffer.data(), buffer.size())) sum.add({buffer.data(), got});
  return sum.finish();
}

}  // namespace gumption
