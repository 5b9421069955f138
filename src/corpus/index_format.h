#pragma once

// How a count index lies on disk, little-endian:
//
//   IndexHead                     magic, version
//   rows                          for each second word y that has pairs, in the order of the words: its row
//   row table                     IndexRow for each word
//   word counts                   u64 for each word
//   word ends                     u64 for each word: where its letters end in the next part
//   letters                       words one after another, commonest first, equally common ones by their bytes
//   hash slots                    u32, a power of two of them: a word's number + 1, or 0
//   manifest                      JSON: sources and options
//   IndexFoot                     where all that is, sizes, sums; a file that ends before it is truncated
//
// A row is a table of its blocks (IndexBlock each), then the blocks: up to kBlockPairs pairs each, sorted by their
// first word x. A pair is the distance of x from the x before it in the block (from the block's first_x at its start),
// then a count for each window of what the next smaller one doesn't hold; all of them in 7-bit groups, lowest first,
// the high bit set on all but the last.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace gumption {

constexpr std::string_view kIndexMagic = "GUMPCNT\n";
constexpr std::uint32_t kIndexVersion = 1;
constexpr std::size_t kMostWindows = 8;
constexpr std::size_t kBlockPairs = 16;

struct IndexHead {
  std::array<char, 8> magic{};
  std::uint32_t version = kIndexVersion;
  std::uint32_t reserved = 0;
};

struct IndexRow {
  std::uint64_t begin = 0;  // from the start of the file
  std::uint64_t pairs = 0;
};

struct IndexBlock {
  std::uint32_t first_x = 0;
  std::uint32_t begin = 0;  // from the end of the row's table of blocks
};

struct IndexFoot {
  std::uint64_t words = 0;  // different ones
  std::uint64_t pairs = 0;  // different ones
  std::uint64_t total_words = 0;
  std::uint64_t documents = 0;
  std::uint64_t bytes = 0;
  std::uint64_t min_count = 0;
  std::uint64_t min_pair_count = 0;
  std::uint32_t form = 0;  // WordForm; its values must not change
  std::uint32_t drops_stop_words = 0;
  std::uint64_t windows_used = 0;
  std::array<std::uint64_t, kMostWindows> windows{};
  std::uint64_t row_table = 0;  // where the parts begin
  std::uint64_t word_counts = 0;
  std::uint64_t word_ends = 0;
  std::uint64_t letters = 0;
  std::uint64_t hash_slots = 0;
  std::uint64_t slots_used = 0;  // how many slots there are
  std::uint64_t manifest = 0;
  std::uint64_t size = 0;        // of the whole file
  std::uint64_t rows_sum = 0;    // IndexSum over the rows
  std::uint64_t tables_sum = 0;  // from the row table to the manifest's end
  std::uint64_t foot_sum = 0;    // over all of this struct before it
};

/// A sum that notices damage, not malice. It may be fed in pieces of any size.
class IndexSum {
 public:
  void add(std::string_view bytes);
  std::uint64_t value() const;

  static std::uint64_t of(std::string_view bytes) {
    IndexSum sum;
    sum.add(bytes);
    return sum.value();
  }

 private:
  std::uint64_t state_ = 0x243F6A8885A308D3ULL;
  std::uint64_t length_ = 0;
  std::uint64_t open_ = 0;  // bytes that don't fill a word yet
};

template <class Part>
std::string_view bytes_of(const Part& part) {
  return {reinterpret_cast<const char*>(&part), sizeof(Part)};
}

inline std::uint64_t foot_sum(const IndexFoot& foot) {
  return IndexSum::of(bytes_of(foot).substr(0, offsetof(IndexFoot, foot_sum)));
}

constexpr std::size_t kLongestVarint = 10;

/// Writes a number and gives the place behind it; there must be room for kLongestVarint bytes.
inline char* put_varint(char* at, std::uint64_t value) {
  while (value >= 0x80) {
    *at++ = static_cast<char>(value | 0x80);
    value >>= 7;
  }
  *at++ = static_cast<char>(value);
  return at;
}

/// Bytes that grow at their end, without a look at the room left for each of them.
class GrowingBytes {
 public:
  void clear() { used_ = 0; }
  std::string_view view() const { return {bytes_.data(), used_}; }
  std::size_t size() const { return used_; }

  /// Room for `size` more bytes, to be written from here on.
  char* room(std::size_t size) {
    if (bytes_.size() - used_ < size) bytes_.resize(2 * bytes_.size() + size);
    return bytes_.data() + used_;
  }
  /// Says where the bytes end now.
  void end_at(const char* at) { used_ = static_cast<std::size_t>(at - bytes_.data()); }

 private:
  std::string bytes_;
  std::size_t used_ = 0;
};

/// Moves `at` behind the number it gives; never looks at or behind `end`, where it stays at 0.
inline std::uint64_t read_varint(const char*& at, const char* end) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; at < end && shift < 64; shift += 7) {
    const auto byte = static_cast<unsigned char>(*at++);
    value |= std::uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) break;
  }
  return value;
}

}  // namespace gumption
