#include "gumption/weights/crc32c.h"

#include <array>
#include <bit>
#include <cstring>

namespace gumption {

namespace {

constexpr std::uint32_t kPolynomial = 0x82F63B78;  // reflected
constexpr std::size_t kSlices = 8;

using Tables = std::array<std::array<std::uint32_t, 256>, kSlices>;

constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t sum = i;
    for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ ((sum & 1U) != 0 ? kPolynomial : 0);
    tables[0][i] = sum;
  }
  for (std::uint32_t i = 0; i < 256; ++i) {
    for (std::size_t slice = 1; slice < kSlices; ++slice) {
      const std::uint32_t before = tables[slice - 1][i];
      tables[slice][i] = (before >> 8) ^ tables[0][before & 0xFFU];
    }
  }
  return tables;
}

constexpr Tables kTables = make_tables();

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  std::uint32_t sum = 0xFFFFFFFF;
  // Eight bytes at a time: one table for each of their places.
  while (bytes.size() >= kSlices) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), kSlices);
    word ^= sum;
    sum = 0;
    for (std::size_t i = 0; i < kSlices; ++i) sum ^= kTables[kSlices - 1 - i][word >> (8 * i) & 0xFFU];
    bytes.remove_prefix(kSlices);
  }
  for (const char byte : bytes) sum = (sum >> 8) ^ kTables[0][(sum ^ static_cast<unsigned char>(byte)) & 0xFFU];
  return ~sum;
}

std::uint32_t masked_crc32c(std::string_view bytes) { return std::rotr(crc32c(bytes), 15) + 0xA282EAD8U; }

}  // namespace gumption
