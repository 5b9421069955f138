#include "gumption/corpus/occurrences.h"

namespace gumption {

namespace {

/// Calls take(word, place) for all words below `words`.
template <class Take>
void for_each_word(std::span<const std::uint32_t> tokens, std::span<const TokenRange> stretches, std::uint32_t words,
                   const Take& take) {
  for (const TokenRange& stretch : stretches) {
    for (std::uint32_t place = stretch.begin; place < stretch.end; ++place) {
      if (tokens[place] < words) take(tokens[place], place);
    }
  }
}

/// Turns how often each part has each word into where the part's first place of the word goes; gives all words' begins.
std::vector<std::uint32_t> begins_from(std::vector<std::vector<std::uint32_t>>& parts, std::uint32_t words) {
  std::vector<std::uint32_t> begins(std::size_t{words} + 1);
  std::uint32_t sum = 0;
  for (std::uint32_t word = 0; word < words; ++word) {
    begins[word] = sum;
    for (auto& counts : parts) {
      const std::uint32_t count = counts[word];
      counts[word] = sum;
      sum += count;
    }
  }
  begins[words] = sum;
  return begins;
}

}  // namespace

void Occurrences::find(std::span<const std::uint32_t> tokens, std::span<const TokenRange> stretches,
                       std::uint32_t words, ThreadPool& pool) {
  // Each thread has a part of the text to itself, both times.
  std::vector<std::vector<std::uint32_t>> parts(pool.size());
  const auto stretches_of = [&](std::size_t part) {
    const std::size_t begin = stretches.size() * part / parts.size();
    return stretches.subspan(begin, stretches.size() * (part + 1) / parts.size() - begin);
  };
  pool.parallel_for(parts.size(), [&](std::size_t part) {
    std::vector<std::uint32_t> counts(words);
    for_each_word(tokens, stretches_of(part), words, [&](std::uint32_t word, std::uint32_t) { ++counts[word]; });
    parts[part] = std::move(counts);
  });
  begins_ = begins_from(parts, words);
  places_.reset(begins_.back());
  pool.parallel_for(parts.size(), [&](std::size_t part) {
    std::uint32_t* const next = parts[part].data();
    std::uint32_t* const places = places_.data();
    for_each_word(tokens, stretches_of(part), words,
                  [=](std::uint32_t word, std::uint32_t place) { places[next[word]++] = place; });
  });
}

}  // namespace gumption
