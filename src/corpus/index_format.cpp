#include "gumption/corpus/index_format.h"

#include <algorithm>
#include <bit>

namespace gumption {

namespace {

constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15ULL;

std::uint64_t mixed(std::uint64_t state, std::uint64_t word) { return std::rotl((state ^ word) * kFactor, 29); }

}  // namespace

void IndexSum::add(std::string_view bytes) {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  while (!bytes.empty()) {
    const std::size_t filled = length_ % kWord;
    if (filled == 0 && bytes.size() >= kWord) {
      const std::size_t words = bytes.size() / kWord;
      for (std::size_t i = 0; i < words; ++i) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data() + i * kWord, kWord);
        state_ = mixed(state_, word);
      }
      length_ += words * kWord;
      bytes.remove_prefix(words * kWord);
      continue;
    }
    const std::size_t taken = std::min(kWord - filled, bytes.size());
    std::memcpy(reinterpret_cast<char*>(&open_) + filled, bytes.data(), taken);
    length_ += taken;
    bytes.remove_prefix(taken);
    if (length_ % kWord == 0) {
      state_ = mixed(state_, open_);
      open_ = 0;
    }
  }
}

std::uint64_t IndexSum::value() const { return mixed(mixed(state_, open_), length_); }

}  // namespace gumption
