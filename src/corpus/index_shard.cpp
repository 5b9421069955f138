#include "gumption/corpus/index_shard.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <mutex>

#include <sys/mman.h>

#include "gumption/base/error.h"
#include "gumption/base/files.h"
#include "gumption/corpus/index_format.h"
#include "gumption/corpus/pair_counts.h"

namespace gumption {

namespace {

constexpr std::uint32_t kDocumentEnd = 0xFFFFFFFF;

/// A block's words as numbers. Those that aren't counted get the number behind the last: they hold their places.
class BlockNumberer {
 public:
  explicit BlockNumberer(const ShardPlan& plan) : plan_(plan), scanner_(plan.documents) {}

  struct Numbered {
    std::vector<std::uint32_t> tokens;
    std::size_t own_begin = 0;
  };

  /// `memory` is used again.
  Numbered number(const TextBlock& block, std::vector<std::uint32_t> memory) {
    numbered_.tokens = std::move(memory);
    numbered_.tokens.clear();
    numbered_.tokens.reserve(block.text().size() / 5);
    scanner_.scan(block.overlap(), block.text(), *this);
    numbered_.own_begin = numbered_.tokens.size();
    scanner_.scan(block.own(), block.text(), *this);
    return std::move(numbered_);
  }

  void word(const ScannedWord& word) { numbered_.tokens.push_back(std::min(plan_.numbers->find(word), plan_.words)); }
  void document_end() { numbered_.tokens.push_back(kDocumentEnd); }

 private:
  const ShardPlan& plan_;
  WordScanner scanner_;
  Numbered numbered_;
};

/// Where the occurrences of a range of words stand, word by word.
struct Occurrences {
  std::vector<std::uint32_t> begins;  // one more than words
  std::vector<std::uint32_t> places;
};

/// Asks for large pages, which spare most of the look-ups of addresses when memory is read all over the place. Only a
/// wish: where there are none, nothing changes.
void wish_large_pages(const void* data, std::size_t size) {
  constexpr std::uintptr_t kPage = std::uintptr_t{1} << 21;
  const auto begin = (reinterpret_cast<std::uintptr_t>(data) + kPage - 1) / kPage * kPage;
  const auto end = (reinterpret_cast<std::uintptr_t>(data) + size) / kPage * kPage;
  if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

/// The pairs that end in one word, gathered over all its occurrences.
class RowCounter {
 public:
  RowCounter(const ShardPlan& plan, std::span<const std::uint32_t> tokens)
      : tokens_(tokens),
        windows_(plan.windows),
        words_(plan.words),
        groups_(plan.words / kGroup / 8 * 8 + 8),
        cells_(groups_.size() * kGroup * plan.windows.size()) {}

  /// Adds the row of the word that stands at `places` to `out`; nothing where it has no pairs.
  void append_row(std::uint32_t word, std::span<const std::uint32_t> places, std::string& out) {
    row_.clear();
    pairs_ = 0;
    before_ = 0;
    // Sorting pays only where a row has next to nothing of what there is.
    const bool few = places.size() * windows_.back() * 2048 < words_;
    few ? append_few(places) : append_many(places);
    if (pairs_ == 0) return;
    out += bytes_of(word);
    out += bytes_of(pairs_);
    const std::uint64_t size = row_.size();
    out += bytes_of(size);
    out += row_.view();
  }

 private:
  static constexpr std::size_t kGroup = 8;  // words

  /// Calls take(token, bucket) for all that stands in the windows before a place.
  template <class Take>
  void look_back(std::uint32_t place, const Take& take) const {
    const std::uint32_t* const from = tokens_.data() + place;
    std::uint64_t distance = 1;
    for (std::size_t bucket = 0; bucket < windows_.size(); ++bucket) {
      const std::uint64_t last = std::min<std::uint64_t>(windows_[bucket], place);
      for (; distance <= last; ++distance) {
        const std::uint32_t token = *(from - distance);
        if (token == kDocumentEnd) return;
        take(token, bucket);
      }
    }
  }

  template <class Take>
  void look_back_from_all(std::span<const std::uint32_t> places, const Take& take) const {
    for (std::size_t i = 0; i < places.size(); ++i) {
      // Occurrences of a word are far apart: without this, most of the time goes into waiting for memory.
      // Further ahead, or one line more, was measured to be slower.
      constexpr std::size_t kAhead = 6;
      if (i + kAhead < places.size()) fetch(places[i + kAhead]);
      look_back(places[i], take);
    }
  }

  void fetch(std::uint32_t place) const {
    constexpr std::uint64_t kLine = 16;  // tokens of a cache line
    const std::uint64_t first = place - std::min<std::uint64_t>(windows_.back(), place);
    for (std::uint64_t at = first; at < place; at += kLine) __builtin_prefetch(tokens_.data() + at);
  }

  void append_many(std::span<const std::uint32_t> places) {
    // Kept out of the object, which a byte written through a pointer might be part of as far as a compiler knows.
    std::uint32_t* const cells = cells_.data();
    std::uint8_t* const groups = groups_.data();
    const std::size_t stride = windows_.size();
    if (stride == 1) {
      look_back_from_all(places, [=](std::uint32_t token, std::size_t) {
        ++cells[token];
        groups[token / kGroup] = 1;
      });
    } else {
      look_back_from_all(places, [=](std::uint32_t token, std::size_t bucket) {
        ++cells[token * stride + bucket];
        groups[token / kGroup] = 1;
      });
    }
    forget_uncounted();
    for (std::size_t at = 0; at < groups_.size(); at += 8) {
      std::uint64_t eight = 0;
      std::memcpy(&eight, groups + at, 8);
      if (eight == 0) continue;
      std::memset(groups + at, 0, 8);
      for (; eight != 0; eight &= eight - 1) {
        append_group((at + static_cast<std::size_t>(std::countr_zero(eight)) / 8) * kGroup);
      }
    }
  }

  void append_few(std::span<const std::uint32_t> places) {
    met_.clear();
    const std::size_t stride = windows_.size();
    look_back_from_all(places, [&](std::uint32_t token, std::size_t bucket) {
      if (is_zero(token)) met_.push_back(token);
      ++cells_[token * stride + bucket];
    });
    forget_uncounted();
    std::sort(met_.begin(), met_.end());
    for (const std::uint32_t token : met_) {
      if (token != words_) append_pair(token);
    }
  }

  /// Words that aren't counted share one number, behind the last.
  void forget_uncounted() {
    std::fill_n(cells_.begin() + static_cast<std::ptrdiff_t>(words_ * windows_.size()), windows_.size(), 0);
  }

  bool is_zero(std::size_t token) const {
    std::uint32_t any = 0;
    for (std::size_t i = 0; i < windows_.size(); ++i) any |= cells_[token * windows_.size() + i];
    return any == 0;
  }

  void append_group(std::size_t first) {
    for (std::size_t token = first; token < first + kGroup; ++token) {
      if (!is_zero(token)) append_pair(static_cast<std::uint32_t>(token));
    }
  }

  /// Writes a pair and clears its cells.
  void append_pair(std::uint32_t token) {
    const std::size_t stride = windows_.size();
    std::uint32_t* const cells = cells_.data() + token * stride;
    char* at = row_.room((stride + 1) * kLongestVarint);
    at = put_varint(at, token - before_);
    for (std::size_t i = 0; i < stride; ++i) {
      at = put_varint(at, cells[i]);
      cells[i] = 0;
    }
    row_.end_at(at);
    before_ = token;
    ++pairs_;
  }

  std::span<const std::uint32_t> tokens_;
  std::vector<std::uint64_t> windows_;
  std::size_t words_;
  std::vector<std::uint8_t> groups_;  // of words: whether some of the row are among them; stays in the nearest cache
  std::vector<std::uint32_t> cells_;  // a shard is small enough for 32 bits
  std::vector<std::uint32_t> met_;
  GrowingBytes row_;
  std::uint32_t pairs_ = 0;
  std::uint32_t before_ = 0;
};

}  // namespace

bool IndexShard::read(TextBlockReader& reader, std::uint64_t end, ThreadPool& pool) {
  std::mutex mutex;
  std::vector<std::pair<std::uint64_t, BlockNumberer::Numbered>> blocks;
  pool.parallel_for(pool.size(), [&](std::size_t) {
    BlockNumberer numberer(plan_);
    TextBlock block;
    while (reader.next(block, end)) {
      std::vector<std::uint32_t> memory;
      {
        const std::lock_guard lock(mutex);
        if (!spare_.empty()) {
          memory = std::move(spare_.back());
          spare_.pop_back();
        }
      }
      auto numbered = numberer.number(block, std::move(memory));
      const std::lock_guard lock(mutex);
      blocks.emplace_back(block.number(), std::move(numbered));
    }
  });
  std::sort(blocks.begin(), blocks.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  tokens_.clear();
  own_.clear();
  std::size_t total = 0;
  for (const auto& [number, block] : blocks) total += block.tokens.size() + 1;
  ensure(total < kDocumentEnd, "a shard's words can be numbered");
  tokens_.reserve(total);
  wish_large_pages(tokens_.data(), total * sizeof(tokens_[0]));
  for (auto& [number, block] : blocks) {
    tokens_.push_back(kDocumentEnd);
    const auto begin = static_cast<std::uint32_t>(tokens_.size());
    tokens_.insert(tokens_.end(), block.tokens.begin(), block.tokens.end());
    own_.push_back({begin + static_cast<std::uint32_t>(block.own_begin), static_cast<std::uint32_t>(tokens_.size())});
    spare_.push_back(std::move(block.tokens));
  }
  return !blocks.empty();
}

std::vector<WordRange> share_out(WordRange range, std::size_t parts, std::span<const std::uint32_t> weights) {
  std::uint64_t total = 0;
  for (std::uint32_t word = range.begin; word < range.end; ++word) total += weights[word];
  std::vector<WordRange> shares;
  std::uint32_t begin = range.begin;
  std::uint64_t sum = 0;
  for (std::uint32_t word = range.begin; word < range.end; ++word) {
    sum += weights[word];
    if (shares.size() + 1 < parts && sum * parts >= total * (shares.size() + 1)) {
      shares.push_back({begin, word + 1});
      begin = word + 1;
    }
  }
  shares.push_back({begin, range.end});
  shares.resize(parts, {range.end, range.end});
  return shares;
}

/// How often each word occurs in the shard.
std::vector<std::uint32_t> IndexShard::own_counts() const {
  std::vector<std::uint32_t> counts(std::size_t{plan_.words} + 1);
  for (const OwnRange& own : own_) {
    for (std::uint32_t i = own.begin; i < own.end; ++i) ++counts[std::min(tokens_[i], plan_.words)];
  }
  return counts;
}

void IndexShard::write_runs(const std::vector<std::filesystem::path>& files, std::span<const WordRange> ranges,
                            ThreadPool& pool) const {
  ensure(files.size() % ranges.size() == 0, "each range has as many files");
  const auto counts = own_counts();
  std::vector<WordRange> shares;
  for (const WordRange& range : ranges) {
    const auto some = share_out(range, files.size() / ranges.size(), counts);
    shares.insert(shares.end(), some.begin(), some.end());
  }
  pool.parallel_for(files.size(), [&](std::size_t i) { write_run(files[i], shares[i]); });
}

void IndexShard::write_run(const std::filesystem::path& file, WordRange numbers) const {
  Occurrences found;
  found.begins.resize(numbers.end - numbers.begin + 1);
  const auto for_each_own = [&](const auto& take) {
    for (const OwnRange& own : own_) {
      for (std::uint32_t i = own.begin; i < own.end; ++i) {
        const std::uint32_t word = tokens_[i] - numbers.begin;
        if (word < numbers.end - numbers.begin) take(word, i);
      }
    }
  };
  for_each_own([&](std::uint32_t word, std::uint32_t) { ++found.begins[word + 1]; });
  for (std::size_t i = 1; i < found.begins.size(); ++i) found.begins[i] += found.begins[i - 1];
  found.places.resize(found.begins.back());
  std::vector<std::uint32_t> next(found.begins.begin(), found.begins.end() - 1);
  for_each_own([&](std::uint32_t word, std::uint32_t place) { found.places[next[word]++] = place; });

  AtomicFile out(file);
  RowCounter counter(plan_, tokens_);
  std::string rows;
  for (std::uint32_t word = 0; word + 1 < found.begins.size(); ++word) {
    const std::span<const std::uint32_t> places(found.places.data() + found.begins[word],
                                                found.begins[word + 1] - found.begins[word]);
    if (!places.empty()) counter.append_row(numbers.begin + word, places, rows);
    constexpr std::size_t kFlush = std::size_t{1} << 20;
    if (rows.size() < kFlush) continue;
    out.write(rows);
    rows.clear();
  }
  out.write(rows);
  out.commit();
}

}  // namespace gumption
