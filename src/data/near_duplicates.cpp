#include "gumption/data/near_duplicates.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>
#include <unordered_map>

#include "gumption/base/error.h"
#include "gumption/base/random.h"
#include "gumption/text/words.h"

namespace gumption {

namespace {

constexpr std::size_t kShingleWords = 3;

using Rank = std::uint32_t;

/// Distinct shingle sets, shortest first, with each shingle replaced by its rank: rare ones first.
struct RankedSets {
  std::vector<Rank> ranks;
  std::vector<std::size_t> begins;               // of each set; one more at the end
  std::vector<std::vector<std::size_t>> owners;  // questions that have this very set, in order

  std::size_t size() const { return owners.size(); }
  std::span<const Rank> set(std::size_t i) const {
    return std::span(ranks).subspan(begins[i], begins[i + 1] - begins[i]);
  }
};

/// Ranks by rising frequency, so that the first elements of a sorted set are the most telling.
std::unordered_map<std::uint64_t, Rank> rank_shingles(const std::vector<std::uint64_t>& all) {
  std::vector<std::uint64_t> sorted = all;
  std::sort(sorted.begin(), sorted.end());
  struct Counted {
    std::size_t count;
    std::uint64_t shingle;
  };
  std::vector<Counted> counted;
  for (std::size_t begin = 0; begin < sorted.size();) {
    std::size_t end = begin;
    while (end < sorted.size() && sorted[end] == sorted[begin]) ++end;
    counted.push_back({end - begin, sorted[begin]});
    begin = end;
  }
  std::sort(counted.begin(), counted.end(), [](const Counted& a, const Counted& b) {
    return a.count != b.count ? a.count < b.count : a.shingle < b.shingle;
  });
  std::unordered_map<std::uint64_t, Rank> ranks;
  ranks.reserve(counted.size());
  for (const Counted& entry : counted) ranks.emplace(entry.shingle, static_cast<Rank>(ranks.size()));
  return ranks;
}

/// Places in the sorted sets' first elements.
struct Posting {
  std::uint32_t set;
  std::uint32_t position;
};

/// Elements that must be looked at: sets with the required overlap can't differ in all of them.
std::size_t prefix_length(std::size_t size, double threshold) {
  const auto needed = static_cast<std::size_t>(std::ceil(threshold * static_cast<double>(size) - 1e-9));
  return size - std::min(size, needed) + 1;
}

std::size_t overlap_of(std::span<const Rank> a, std::span<const Rank> b) {
  std::size_t common = 0;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (a[i] == b[j]) {
      ++common;
      ++i;
      ++j;
    } else if (a[i] < b[j]) {
      ++i;
    } else {
      ++j;
    }
  }
  return common;
}

struct Match {
  std::size_t set_a = 0;
  std::size_t set_b = 0;
  double similarity = 0;
};

class PrefixIndex {
 public:
  PrefixIndex(const RankedSets& sets, std::size_t shingles, double threshold)
      : sets_(sets), threshold_(threshold), begins_(shingles + 1, 0) {
    for_each_entry([&](Rank rank, Posting) { ++begins_[rank + 1]; });
    std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
    postings_.resize(begins_.back());
    std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
    for_each_entry([&](Rank rank, Posting posting) { postings_[next[rank]++] = posting; });
  }

  /// Earlier (not longer) sets that are similar enough to set `x`. `seen` has a cell for each set, all 0, and is left
  /// so.
  void matches_of(std::size_t x, std::vector<std::uint8_t>& seen, std::vector<Match>& matches) const {
    const auto set = sets_.set(x);
    const auto shortest = static_cast<std::size_t>(std::ceil(threshold_ * static_cast<double>(set.size()) - 1e-9));
    std::vector<std::uint32_t> touched;
    const std::size_t prefix = prefix_length(set.size(), threshold_);
    for (std::size_t i = 0; i < prefix && i < set.size(); ++i) {
      const auto list = std::span(postings_).subspan(begins_[set[i]], begins_[set[i] + 1] - begins_[set[i]]);
      // Sets are in order of length, so the long enough ones stand together, up to x itself.
      auto posting = std::partition_point(list.begin(), list.end(),
                                          [&](const Posting& entry) { return sets_.set(entry.set).size() < shortest; });
      for (; posting != list.end() && posting->set < x; ++posting) {
        if (seen[posting->set] != 0) continue;
        const auto other = sets_.set(posting->set);
        const std::size_t left = 1 + std::min(set.size() - i - 1, other.size() - posting->position - 1);
        if (left + i < needed(set.size(), other.size())) continue;
        seen[posting->set] = 1;
        touched.push_back(posting->set);
      }
    }
    for (const std::uint32_t y : touched) {
      seen[y] = 0;
      const auto other = sets_.set(y);
      const std::size_t common = overlap_of(set, other);
      if (common < needed(set.size(), other.size())) continue;
      matches.push_back({y, x, static_cast<double>(common) / static_cast<double>(set.size() + other.size() - common)});
    }
  }

 private:
  std::size_t needed(std::size_t a, std::size_t b) const {
    return static_cast<std::size_t>(std::ceil(threshold_ / (1 + threshold_) * static_cast<double>(a + b) - 1e-9));
  }

  template <class Take>
  void for_each_entry(Take&& take) const {
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      const auto set = sets_.set(i);
      const std::size_t prefix = prefix_length(set.size(), threshold_);
      for (std::size_t p = 0; p < prefix && p < set.size(); ++p) {
        take(set[p], Posting{static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(p)});
      }
    }
  }

  const RankedSets& sets_;
  double threshold_;
  std::vector<std::size_t> begins_;  // of each rank's postings
  std::vector<Posting> postings_;    // by rank, then set
};

std::vector<Match> match_sets(const RankedSets& sets, std::size_t shingles, double threshold, ThreadPool& pool) {
  const PrefixIndex index(sets, shingles, threshold);
  // Long sets come last and cost more: many small blocks even that out.
  constexpr std::size_t kBlock = 512;
  const std::size_t blocks = (sets.size() + kBlock - 1) / kBlock;
  std::vector<std::vector<Match>> found(blocks);
  pool.parallel_for(blocks, [&](std::size_t block) {
    std::vector<std::uint8_t> seen(sets.size(), 0);
    const std::size_t end = std::min(sets.size(), (block + 1) * kBlock);
    for (std::size_t x = block * kBlock; x < end; ++x) index.matches_of(x, seen, found[block]);
  });
  std::vector<Match> matches;
  for (const auto& part : found) matches.insert(matches.end(), part.begin(), part.end());
  return matches;
}

/// Keeps, for each question, the best pair with an earlier one.
class BestPairs {
 public:
  explicit BestPairs(std::size_t questions) : best_(questions) {}

  void offer(std::size_t a, std::size_t b, double similarity) {
    const std::size_t first = std::min(a, b);
    const std::size_t second = std::max(a, b);
    SimilarPair& best = best_[second];
    if (similarity > best.similarity || (similarity == best.similarity && first < best.first)) {
      best = {first, second, similarity};
    }
  }

  std::vector<SimilarPair> take() const {
    std::vector<SimilarPair> pairs;
    for (const SimilarPair& pair : best_) {
      if (pair.similarity > 0) pairs.push_back(pair);
    }
    return pairs;
  }

 private:
  std::vector<SimilarPair> best_;
};

}  // namespace

std::vector<std::uint64_t> NearDuplicateFinder::shingles_of(const Question& question) {
  std::vector<std::uint64_t> words;
  const auto take = [&](std::string_view word) { words.push_back(stable_hash(word)); };
  for_each_word(question.context, take);
  for_each_word(question.question, take);
  for (const auto& choice : question.choices) for_each_word(choice, take);

  std::vector<std::uint64_t> shingles;
  const std::size_t width = std::min(kShingleWords, words.size());
  for (std::size_t i = 0; width > 0 && i + width <= words.size(); ++i) {
    std::uint64_t state = 0;
    std::uint64_t hash = 0;
    for (std::size_t k = 0; k < width; ++k) {
      state ^= words[i + k];
      hash = split_mix(state);
    }
    shingles.push_back(hash);
  }
  std::sort(shingles.begin(), shingles.end());
  shingles.erase(std::unique(shingles.begin(), shingles.end()), shingles.end());
  return shingles;
}

void NearDuplicateFinder::add(const Question& question) {
  const auto shingles = shingles_of(question);
  shingles_.insert(shingles_.end(), shingles.begin(), shingles.end());
  ends_.push_back(shingles_.size());
}

std::vector<SimilarPair> NearDuplicateFinder::find(double threshold, ThreadPool& pool) const {
  ensure(threshold > 0 && threshold <= 1, "a similarity threshold is in (0, 1]");
  const auto ranks = rank_shingles(shingles_);

  // Questions with the very same set are one: thousands of copies must not be compared with each other.
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> by_hash;
  std::vector<std::vector<Rank>> ranked(ends_.size());
  for (std::size_t q = 0; q < ends_.size(); ++q) {
    for (std::size_t i = q == 0 ? 0 : ends_[q - 1]; i < ends_[q]; ++i) ranked[q].push_back(ranks.at(shingles_[i]));
    std::sort(ranked[q].begin(), ranked[q].end());
    if (ranked[q].empty()) continue;
    const std::string_view bytes(reinterpret_cast<const char*>(ranked[q].data()), ranked[q].size() * sizeof(Rank));
    by_hash[stable_hash(bytes)].push_back(q);
  }
  std::vector<std::vector<std::size_t>> groups;
  for (auto& [hash, questions] : by_hash) groups.push_back(std::move(questions));
  std::sort(groups.begin(), groups.end(), [&](const auto& a, const auto& b) {
    const std::size_t size_a = ranked[a.front()].size();
    const std::size_t size_b = ranked[b.front()].size();
    return size_a != size_b ? size_a < size_b : a.front() < b.front();
  });

  RankedSets sets;
  sets.begins.push_back(0);
  BestPairs best(ends_.size());
  for (auto& group : groups) {
    const auto& set = ranked[group.front()];
    sets.ranks.insert(sets.ranks.end(), set.begin(), set.end());
    sets.begins.push_back(sets.ranks.size());
    for (std::size_t i = 1; i < group.size(); ++i) best.offer(group.front(), group[i], 1.0);
    sets.owners.push_back(std::move(group));
  }
  for (const Match& match : match_sets(sets, ranks.size(), threshold, pool)) {
    // The first owners stand for all: the others are near them already.
    best.offer(sets.owners[match.set_a].front(), sets.owners[match.set_b].front(), match.similarity);
  }
  return best.take();
}

}  // namespace gumption
