#include "gumption/corpus/pair_table.h"

#include <algorithm>
#include <bit>

#include "gumption/base/error.h"

namespace gumption {

PairTable::PairTable(std::size_t pairs) {
  const std::size_t slots = std::bit_ceil(std::max<std::size_t>(pairs * 2, 64));
  keys_.assign(slots, kFree);
  places_.resize(slots);
  constexpr std::size_t kBitsForSlot = 8;
  const std::size_t bits = slots * kBitsForSlot;
  filter_.resize(bits / 64);
  filter_shift_ = static_cast<unsigned>(64 - std::countr_zero(bits));
}

std::uint32_t PairTable::add(std::uint32_t first, std::uint32_t second) {
  const std::uint64_t key = key_of(first, second);
  const std::uint64_t hash = hash_of(key);
  const std::size_t mask = keys_.size() - 1;
  std::size_t at = hash & mask;
  while (keys_[at] != kFree && keys_[at] != key) at = (at + 1) & mask;
  if (keys_[at] == key) return places_[at];
  ensure(std::size_t{used_} * 2 < keys_.size(), "a pair table was made large enough");
  keys_[at] = key;
  places_[at] = used_;
  const std::uint64_t bit = hash >> filter_shift_;
  filter_[bit / 64] |= std::uint64_t{1} << (bit % 64);
  return used_++;
}

}  // namespace gumption
