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

namespace {

/// Which of 64 trials succeed with the chance `threshold` / 2⁶⁴. Each trial compares a random fraction with the
/// threshold, bit by bit from the top; the bits of all 64 fractions at one place are one random word, and the loop ends
/// when every trial is decided or the threshold has no bits left to be under.
std::uint64_t bernoulli_word(std::uint64_t threshold, std::uint64_t wanted, RandomStream& stream) {
  std::uint64_t succeeded = 0;
  std::uint64_t undecided = wanted;
  for (; undecided != 0 && threshold != 0; threshold <<= 1) {
    const std::uint64_t bits = stream.next();
    if ((threshold >> 63) != 0) {
      succeeded |= undecided & ~bits;
      undecided &= bits;
    } else {
      undecided &= ~bits;
    }
  }
  return succeeded;
}

}  // namespace

std::uint64_t RandomStream::successes(std::uint64_t trials, std::uint64_t part, std::uint64_t whole) {
  ensure(whole > 0 && part <= whole, "a chance is between 0 and 1");
  if (part == whole) return trials;
  // Long division, a bit at a time: the same threshold on every platform.
  std::uint64_t threshold = 0;
  std::uint64_t rest = part;
  for (int bit = 0; bit < 64; ++bit) {
    const bool one = rest >= whole - rest;
    rest = one ? rest - (whole - rest) : rest + rest;
    threshold = (threshold << 1) | (one ? 1 : 0);
  }
  std::uint64_t count = 0;
  for (std::uint64_t left = trials; left > 0;) {
    const std::uint64_t now = left < 64 ? left : 64;
    const std::uint64_t wanted = ~std::uint64_t{0} >> (64 - now);
    count += static_cast<std::uint64_t>(std::popcount(bernoulli_word(threshold, wanted, *this)));
    left -= now;
  }
  return count;
}

}  // namespace gumption
