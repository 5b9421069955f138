#include "gumption/corpus/index_shard.h"

#include <algorithm>
#include <memory>

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

  Numbered number(const TextBlock& block) {
    numbered_ = {};
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
        cells_((std::size_t{plan.words} + 1) * plan.windows.size()),
        seen_((std::size_t{plan.words} + 8) / 8 * 8) {}

  /// Adds the row of the word that stands at `places` to `out`; nothing where it has no pairs.
  void append_row(std::uint32_t word, std::span<const std::uint32_t> places, std::string& out) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      // Occurrences of a word are far apart: without this, most of the time goes into waiting for memory.
      constexpr std::size_t kAhead = 6;
      if (i + kAhead < places.size()) fetch(places[i + kAhead]);
      look_back(places[i]);
    }
    // The number for words that aren't counted.
    seen_[words_] = 0;
    std::fill_n(cells_.begin() + static_cast<std::ptrdiff_t>(words_ * windows_.size()), windows_.size(), 0);
    row_.clear();
    pairs_ = 0;
    before_ = 0;
    // A look at every word costs less than sorting, unless there are only a few.
    const bool few = places.size() * windows_.back() * 32 < words_;
    few ? append_sorted(places) : append_seen();
    if (pairs_ == 0) return;
    out += bytes_of(word);
    out += bytes_of(pairs_);
    const std::uint64_t size = row_.size();
    out += bytes_of(size);
    out += row_;
  }

 private:
  void fetch(std::uint32_t place) const {
    constexpr std::uint64_t kLine = 16;  // tokens of a cache line
    const std::uint64_t first = place - std::min<std::uint64_t>(windows_.back(), place);
    for (std::uint64_t at = first; at < place; at += kLine) __builtin_prefetch(tokens_.data() + at);
  }

  void look_back(std::uint32_t place) {
    const std::uint32_t* const from = tokens_.data() + place;
    const std::size_t stride = windows_.size();
    std::uint64_t distance = 1;
    for (std::size_t bucket = 0; bucket < stride; ++bucket) {
      const std::uint64_t last = std::min<std::uint64_t>(windows_[bucket], place);
      for (; distance <= last; ++distance) {
        const std::uint32_t token = *(from - distance);
        if (token == kDocumentEnd) return;
        ++cells_[token * stride + bucket];
        seen_[token] = 1;
      }
    }
  }

  void append_seen() {
    for (std::size_t at = 0; at < seen_.size(); at += 8) {
      std::uint64_t eight = 0;
      std::memcpy(&eight, seen_.data() + at, 8);
      if (eight == 0) continue;
      for (std::size_t i = at; i < at + 8; ++i) {
        if (seen_[i] != 0) append_pair(static_cast<std::uint32_t>(i));
      }
    }
  }

  void append_sorted(std::span<const std::uint32_t> places) {
    met_.clear();
    for (const std::uint32_t place : places) {
      for (std::uint64_t distance = 1; distance <= std::min<std::uint64_t>(windows_.back(), place); ++distance) {
        const std::uint32_t token = tokens_[place - distance];
        if (token == kDocumentEnd) break;
        if (seen_[token] == 1) {
          seen_[token] = 2;
          met_.push_back(token);
        }
      }
    }
    std::sort(met_.begin(), met_.end());
    for (const std::uint32_t token : met_) append_pair(token);
  }

  /// Writes a pair and clears its cells.
  void append_pair(std::uint32_t token) {
    append_varint(row_, token - before_);
    before_ = token;
    for (std::size_t i = 0; i < windows_.size(); ++i) {
      std::uint32_t& cell = cells_[token * windows_.size() + i];
      append_varint(row_, cell);
      cell = 0;
    }
    seen_[token] = 0;
    ++pairs_;
  }

  std::span<const std::uint32_t> tokens_;
  std::vector<std::uint64_t> windows_;
  std::size_t words_;
  std::vector<std::uint32_t> cells_;  // a shard is small enough for 32 bits
  std::vector<std::uint8_t> seen_;
  std::vector<std::uint32_t> met_;
  std::string row_;
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
      auto numbered = numberer.number(block);
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
    block.tokens = {};
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
