#include "gumption/corpus/index_shard.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <mutex>

#include "gumption/base/error.h"
#include "gumption/corpus/index_format.h"
#include "gumption/corpus/pair_counts.h"

namespace gumption {

namespace {

/// A block's words as numbers. Those that aren't counted get the number behind the last: they hold their places.
class BlockNumberer {
 public:
  explicit BlockNumberer(const ShardPlan& plan) : plan_(plan), scanner_(plan.documents) {}

  /// `memory` is used again.
  NumberedBlock number(const TextBlock& block, std::vector<std::uint32_t> memory) {
    numbered_.number = block.number();
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
  NumberedBlock numbered_;
};

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
      // Half as far ahead, or one line more, was measured to be slower; still further gains nothing.
      constexpr std::size_t kAhead = 12;
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
    if (windows_.size() == 1) return cells_[token] == 0;
    std::uint32_t any = 0;
    for (std::size_t i = 0; i < windows_.size(); ++i) any |= cells_[token * windows_.size() + i];
    return any == 0;
  }

  void append_group(std::size_t first) {
    // Which words were met is found out at once: a branch for each would be guessed wrong too often.
    std::uint32_t met = 0;
    for (std::uint32_t i = 0; i < kGroup; ++i) met |= std::uint32_t{!is_zero(first + i)} << i;
    for (; met != 0; met &= met - 1) {
      append_pair(static_cast<std::uint32_t>(first) + static_cast<std::uint32_t>(std::countr_zero(met)));
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
  std::vector<NumberedBlock> blocks;
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
      blocks.push_back(std::move(numbered));
    }
  });
  std::sort(blocks.begin(), blocks.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
  const auto copy = [](const NumberedBlock& block, std::uint32_t* to) {
    std::copy(block.tokens.begin(), block.tokens.end(), to);
  };
  lay_out(blocks, copy, pool);
  for (NumberedBlock& block : blocks) spare_.push_back(std::move(block.tokens));
  return !blocks.empty();
}

bool IndexShard::take(std::vector<NumberedBlock> blocks, std::span<const std::vector<std::uint32_t>> renumbering,
                      ThreadPool& pool) {
  const auto renumber = [&](NumberedBlock& block, std::uint32_t* to) {
    const std::uint32_t* const numbers = renumbering[block.numbering].data();
    for (const std::uint32_t token : block.tokens) *to++ = token == kDocumentEnd ? token : numbers[token];
    block.tokens = {};
  };
  lay_out(blocks, renumber, pool);
  return !blocks.empty();
}

/// Puts the blocks behind each other; put(block, to) does it with one.
template <class Put>
void IndexShard::lay_out(std::vector<NumberedBlock>& blocks, const Put& put, ThreadPool& pool) {
  own_.clear();
  std::size_t total = 0;
  for (const NumberedBlock& block : blocks) {
    const std::size_t begin = total + 1;
    total = begin + block.tokens.size();
    own_.push_back({static_cast<std::uint32_t>(begin + block.own_begin), static_cast<std::uint32_t>(total)});
  }
  ensure(total < kDocumentEnd, "a shard's words can be numbered");
  tokens_.reset(total);
  pool.parallel_for(blocks.size(), [&](std::size_t i) {
    std::uint32_t* const begin = tokens_.data() + (own_[i].begin - blocks[i].own_begin);
    *(begin - 1) = kDocumentEnd;
    put(blocks[i], begin);
  });
}

std::vector<WordRange> share_out(WordRange range, std::size_t parts, std::span<const std::uint64_t> weights) {
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

/// About how long each word's row takes. It needn't be exact: the threads take shares as they become free.
std::vector<std::uint64_t> IndexShard::work_of_words() const {
  // Looking at a word in a window is 1; going to an occurrence, which waits for memory, and writing a pair are more.
  constexpr std::uint64_t kOccurrence = 8;
  constexpr std::uint64_t kPair = 5;
  const std::uint64_t window = plan_.windows.back();
  std::vector<std::uint64_t> work;
  for (std::uint32_t word = 0; word < plan_.words; ++word) {
    const std::uint64_t count = occurrences_.of(word).size();
    work.push_back(count * (window + kOccurrence) + std::min<std::uint64_t>(count * window, plan_.words) * kPair);
  }
  return work;
}

std::vector<RunSum> IndexShard::write_runs(const std::vector<std::filesystem::path>& files,
                                           std::span<const WordRange> ranges, ThreadPool& pool) {
  ensure(files.size() == ranges.size(), "each range has a file");
  occurrences_.find(tokens_.span(), own_, plan_.words, pool);
  const auto work = work_of_words();
  // So many that none waits long for another at the end, and that what waits for its turn takes little memory.
  constexpr std::size_t kSharesForThread = 64;
  std::vector<RunSum> sums;
  for (std::size_t i = 0; i < files.size(); ++i) {
    sums.push_back(write_run(files[i], share_out(ranges[i], pool.size() * kSharesForThread, work), pool));
  }
  return sums;
}

RunSum IndexShard::write_run(const std::filesystem::path& file, std::span<const WordRange> shares,
                             ThreadPool& pool) const {
  OrderedRun run(file);
  std::atomic<std::size_t> next = 0;
  pool.parallel_for(pool.size(), [&](std::size_t) {
    RowCounter counter(plan_, tokens_.span());
    std::string rows;
    for (std::size_t i = next++; i < shares.size(); i = next++) {
      for (std::uint32_t word = shares[i].begin; word < shares[i].end; ++word) {
        const auto places = occurrences_.of(word);
        if (!places.empty()) counter.append_row(word, places, rows);
      }
      rows = run.add(i, std::move(rows));
    }
  });
  return run.sum();
}

}  // namespace gumption
