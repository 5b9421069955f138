#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "gumption/text/vocabulary.h"

namespace gumption {

/// A short word as four machine words: its bytes, zeros, and its length in the last byte.
struct WordKey {
  static constexpr std::size_t kLongest = 31;

  std::array<std::uint64_t, 4> words{};

  bool operator==(const WordKey& other) const {  // written out, because the default calls memcmp()
    return ((words[0] ^ other.words[0]) | (words[1] ^ other.words[1]) | (words[2] ^ other.words[2]) |
            (words[3] ^ other.words[3])) == 0;
  }

  /// Of at most kLongest bytes, of which 32 may be read from `data` on whatever `size` is.
  static WordKey of_padded(const char* data, std::size_t size) {
    static_assert(std::endian::native == std::endian::little, "the masks below are for little-endian machines");
    WordKey key;
    std::memcpy(key.words.data(), data, sizeof key.words);
    for (std::size_t i = 0; i < 4; ++i) key.words[i] &= kMasks[size][i];
    key.words[3] |= static_cast<std::uint64_t>(size) << 56;
    return key;
  }

  /// Of at most kLongest bytes.
  static WordKey of(std::string_view word) {
    WordKey key;
    std::memcpy(key.words.data(), word.data(), word.size());
    key.words[3] |= static_cast<std::uint64_t>(word.size()) << 56;
    return key;
  }

  std::size_t hash() const {
    constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15ULL;
    std::uint64_t mixed = words[0] * kOdd;
    mixed = (mixed ^ (mixed >> 32) ^ words[1]) * kOdd;
    mixed = (mixed ^ (mixed >> 32) ^ words[2] ^ std::rotl(words[3], 17)) * kOdd;
    return static_cast<std::size_t>(mixed ^ (mixed >> 29));
  }

 private:
  using Masks = std::array<std::array<std::uint64_t, 4>, kLongest + 1>;

  static constexpr Masks make_masks() {
    Masks masks{};
    for (std::size_t size = 0; size <= kLongest; ++size) {
      for (std::size_t byte = 0; byte < size; ++byte) masks[size][byte / 8] |= std::uint64_t{0xFF} << (byte % 8 * 8);
    }
    return masks;
  }
  static const Masks kMasks;
};

inline constexpr WordKey::Masks WordKey::kMasks = WordKey::make_masks();

/// Ids of the words met lately, in a table of fixed size: a new word takes the place of an older one with the same
/// hash. Two places for each, one cache line apiece. Not thread-safe.
class WordCache {
 public:
  static constexpr std::size_t kMostIds = 7;

  struct alignas(64) Entry {
    WordKey key;  // length 0, which no word has: free
    std::uint32_t count = 0;
    std::array<TokenId, kMostIds> ids{};
  };

  /// 2^bits entries of 64 bytes.
  explicit WordCache(unsigned bits = 15) : mask_((std::size_t{1} << bits) - 1), entries_(std::size_t{1} << bits) {}

  const Entry* find(const WordKey& key, std::size_t hash) const {
    const Entry& first = entries_[hash & mask_];
    if (first.key == key) return &first;
    const Entry& second = entries_[(hash & mask_) ^ 1];
    return second.key == key ? &second : nullptr;
  }

  /// Words of more than kMostIds ids are not kept.
  void insert(const WordKey& key, std::size_t hash, const TokenId* ids, std::size_t count) {
    if (count > kMostIds) return;
    Entry& first = entries_[hash & mask_];
    entries_[(hash & mask_) ^ 1] = first;
    first.key = key;
    first.count = static_cast<std::uint32_t>(count);
    for (std::size_t i = 0; i < count; ++i) first.ids[i] = ids[i];
  }

 private:
  std::size_t mask_;
  std::vector<Entry> entries_;
};

}  // namespace gumption
