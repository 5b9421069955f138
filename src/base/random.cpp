#include "gumption/base/random.h"

#include <bit>

#include "gumption/base/error.h"

namespace gumption {

std::uint64_t split_mix(std::uint64_t& state) {
  state += 0x9E3779B97F4A7C15ULL;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

std::uint64_t stable_hash(std::string_view text, std::uint64_t seed) {
  std::uint64_t hash = 0xCBF29CE484222325ULL;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001B3ULL;
  }
  std::uint64_t state = hash ^ seed;
  return split_mix(state);
}

RandomStream::RandomStream(std::uint64_t seed) {
  for (auto& word : state_) word = split_mix(seed);
}

RandomStream::RandomStream(std::uint64_t seed, std::string_view purpose) : RandomStream(stable_hash(purpose, seed)) {}

std::uint64_t RandomStream::next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

std::uint64_t RandomStream::below(std::uint64_t bound) {
  ensure(bound > 0, "a bound is positive");
  // Values under 2^64 mod bound would make small results more likely than others: draw again.
  const std::uint64_t uneven = (0 - bound) % bound;
  std::uint64_t value = next();
  while (value < uneven) value = next();
  return value % bound;
}

double RandomStream::uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

}  // namespace gumption
