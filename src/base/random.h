#pragma once

// Random numbers that are the same on every platform and with every standard library: xoshiro256** (Blackman and
// Vigna), seeded through SplitMix64, and our own ways of drawing from it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace gumption {

/// SplitMix64's step: advances `state` and returns the next value.
std::uint64_t split_mix(std::uint64_t& state);

/// FNV-1a with a final mix: a stable 64-bit value for a text.
std::uint64_t stable_hash(std::string_view text, std::uint64_t seed = 0);

/// One stream of random numbers. Copying it copies its place. Not thread-safe; give each thread a stream of its own.
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed);

  /// An independent stream for one purpose: the same seed and purpose always give the same numbers.
  RandomStream(std::uint64_t seed, std::string_view purpose);

  /// Starts from a given state, for comparing with the published generator. Not all zero.
  explicit RandomStream(const std::array<std::uint64_t, 4>& state) : state_(state) {}

  std::uint64_t next();

  /// Uniform in [0, bound), without bias. `bound` must be positive.
  std::uint64_t below(std::uint64_t bound);

  /// Uniform in [0, 1), 53 bits.
  double uniform();

  /// How many of `trials` succeed when each does so with the chance `part` / `whole`: a binomial draw, exact to 2⁻⁶⁴ of
  /// the chance. `part` ≤ `whole`, `whole` > 0. Costs one to eight numbers for 64 trials.
  std::uint64_t successes(std::uint64_t trials, std::uint64_t part, std::uint64_t whole);

 private:
  std::array<std::uint64_t, 4> state_{};
};

/// Fisher and Yates' shuffle.
template <class Sequence>
void shuffle(Sequence& sequence, RandomStream& stream) {
  for (std::size_t left = sequence.size(); left > 1; --left) {
    using std::swap;
    swap(sequence[left - 1], sequence[static_cast<std::size_t>(stream.below(left))]);
  }
}

}  // namespace gumption
