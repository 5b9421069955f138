#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gumption {

/// Pairs of word numbers and their places, looked up a few times for every word of a text. Thread-safe once filled.
class PairTable {
 public:
  static constexpr std::uint32_t kAbsent = 0xFFFFFFFF;

  /// Room for `pairs` pairs.
  explicit PairTable(std::size_t pairs);

  /// Adds a pair, which gets the next place, from 0; the place it has where it is known already.
  std::uint32_t add(std::uint32_t first, std::uint32_t second);

  std::uint32_t find(std::uint32_t first, std::uint32_t second) const {
    const std::uint64_t key = key_of(first, second);
    const std::uint64_t hash = hash_of(key);
    // Nearly all pairs that a text offers aren't asked for; one bit in a table that fits the first cache says so.
    const std::uint64_t bit = hash >> filter_shift_;
    if ((filter_[bit / 64] >> (bit % 64) & 1) == 0) return kAbsent;
    const std::size_t mask = keys_.size() - 1;
    for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
      if (keys_[at] == key) return places_[at];
      if (keys_[at] == kFree) return kAbsent;
    }
  }

  std::size_t size() const { return used_; }

 private:
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};

  static std::uint64_t key_of(std::uint32_t first, std::uint32_t second) { return std::uint64_t{first} << 32 | second; }
  static std::uint64_t hash_of(std::uint64_t key) {
    key *= 0x9E3779B97F4A7C15ULL;
    return key ^ key >> 32;
  }

  std::vector<std::uint64_t> keys_;
  std::vector<std::uint32_t> places_;
  std::vector<std::uint64_t> filter_;
  unsigned filter_shift_;
  std::uint32_t used_ = 0;
};

}  // namespace gumption
