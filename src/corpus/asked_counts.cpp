#include "gumption/corpus/asked_counts.h"

#include <algorithm>
#include <array>
#include <bit>

#include "gumption/base/error.h"
#include "gumption/base/thread_pool.h"
#include "gumption/text/stop_words.h"

namespace gumption {

AskedPairs::AskedPairs(std::span<const WordPair> pairs, const WordOptions& options)
    : options_(options), pairs_(pairs.size()) {
  WordFormer former(options.form);
  for (const WordPair& pair : pairs) {
    if (options.drop_stop_words && (is_stop_word(pair.first) || is_stop_word(pair.second))) continue;
    const std::uint32_t first = number_of(pair.first, former);
    const std::uint32_t second = number_of(pair.second, former);
    roles_[first].first = true;
    roles_[second].second = true;
    pairs_.add(first, second);
  }
}

std::uint32_t AskedPairs::number_of(const std::string& word, WordFormer& former) {
  const std::uint32_t known = written_.find(word);
  if (known != WordTable::kAbsent) return known;
  const std::string form = former.form_of(word);
  std::uint32_t number = forms_.find(form);
  if (number == WordTable::kAbsent) {
    number = static_cast<std::uint32_t>(roles_.size());
    forms_.add(form, number);
    roles_.emplace_back();
  }
  written_.add(word, number);
  return number;
}

AskedCounts::AskedCounts(std::shared_ptr<const AskedPairs> asked, std::vector<std::uint64_t> windows)
    : asked_(std::move(asked)),
      windows_(std::move(windows)),
      words_(asked_->roles().size()),
      pairs_(asked_->pairs().size() * windows_.size()) {
  ensure(!windows_.empty(), "there is a window to count in");
}

void AskedCounts::add(const AskedCounts& other) {
  ensure(other.words_.size() == words_.size() && other.pairs_.size() == pairs_.size() && other.windows_ == windows_,
         "only counts of the same pairs can be added");
  totals_.words += other.totals_.words;
  totals_.documents += other.totals_.documents;
  totals_.bytes += other.totals_.bytes;
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] += other.words_[i];
  for (std::size_t i = 0; i < pairs_.size(); ++i) pairs_[i] += other.pairs_[i];
}

void AskedCounts::add_up(ProcessGroup& group) {
  std::array<std::uint64_t, 3> totals = {totals_.words, totals_.documents, totals_.bytes};
  group.all_reduce_sum(totals);
  totals_ = {totals[0], totals[1], totals[2]};
  group.all_reduce_sum(words_);
  group.all_reduce_sum(pairs_);
}

/// The number of a word that is frequent enough to be counted.
std::uint32_t AskedCounts::number_of(std::string_view word) const {
  if (word.empty()) return WordTable::kAbsent;
  const std::uint32_t number = asked_->written().find(word);
  const bool counted = number != WordTable::kAbsent && words_[number] >= asked_->options().min_count;
  return counted ? number : WordTable::kAbsent;
}

std::uint64_t AskedCounts::count_of(std::string_view word) const {
  const std::uint32_t number = number_of(word);
  return number == WordTable::kAbsent ? 0 : words_[number];
}

std::vector<std::uint64_t> AskedCounts::count_of(std::string_view first, std::string_view second) const {
  std::vector<std::uint64_t> counts(windows_.size());
  const std::uint32_t x = number_of(first);
  const std::uint32_t y = number_of(second);
  if (x == WordTable::kAbsent || y == WordTable::kAbsent) return counts;
  const std::uint32_t place = asked_->pairs().find(x, y);
  if (place == PairTable::kAbsent) return counts;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = sum += pairs_[place * windows_.size() + i];
  return counts;
}

/// Counts blocks on one thread, into counts of its own.
class AskedCounter {
 public:
  AskedCounter(std::shared_ptr<const AskedPairs> asked, const CountOptions& options)
      : asked_(*asked),
        counts_(std::move(asked), options.windows),
        scanner_(options.text.documents),
        former_(options.words.form),
        buckets_(bucket_of_distance(options.windows)),
        reach_(options.windows.back()),
        recent_(std::bit_ceil(reach_ + 1)),
        mask_(recent_.size() - 1) {
    if (options.words.form == WordForm::kWritten) {
      known_ = asked_.forms();
      known_is_complete_ = true;
    }
  }

  void count(const TextBlock& block) {
    leave_document();
    in_overlap_ = true;
    scanner_.scan(block.overlap(), block.text(), *this);
    in_overlap_ = false;
    scanner_.scan(block.own(), block.text(), *this);
    counts_.totals_.bytes += block.own().size();
  }

  const AskedCounts& counts() const { return counts_; }

  // What the scanner calls.

  void word(const ScannedWord& word) {
    ++position_;
    if (!in_overlap_) {
      ++counts_.totals_.words;
      if (!document_has_words_) ++counts_.totals_.documents;
    }
    document_has_words_ = true;
    const std::uint32_t number = known_.find(word);
    if (number < asked_.roles().size()) {
      asked_word(number);
    } else if (number == WordTable::kAbsent && !known_is_complete_) {
      if (const std::uint32_t found = learn(word); found < asked_.roles().size()) asked_word(found);
    }
  }

  void document_end() { leave_document(); }

 private:
  struct Recent {
    std::uint64_t position = 0;
    std::uint32_t number = 0;
  };

  static constexpr std::uint32_t kNotAsked = WordTable::kAbsent - 1;

  /// Puts all that follows out of reach of what came before.
  void leave_document() {
    position_ += reach_ + 1;
    document_has_words_ = false;
  }

  void asked_word(std::uint32_t number) {
    const AskedPairs::Role role = asked_.roles()[number];
    if (!in_overlap_) {
      ++counts_.words_[number];
      if (role.second) look_back(number);
    }
    if (role.first) recent_[++newest_ & mask_] = {position_, number};
  }

  /// Counts the asked-for pairs that the word at the current position ends.
  void look_back(std::uint32_t number) {
    const std::size_t windows = counts_.windows_.size();
    for (std::size_t at = newest_;; --at) {
      const Recent& before = recent_[at & mask_];
      const std::uint64_t distance = position_ - before.position;
      if (distance > reach_) return;
      const std::uint32_t place = asked_.pairs().find(before.number, number);
      if (place != PairTable::kAbsent) ++counts_.pairs_[place * windows + buckets_[distance]];
    }
  }

  /// The number of a spelling that was not met before; the commonest ones are remembered.
  std::uint32_t learn(const ScannedWord& word) {
    constexpr std::size_t kMostKnown = std::size_t{1} << 20;
    constexpr std::size_t kLongestKnown = 64;
    const std::string_view text = word.text();
    std::uint32_t number = kNotAsked;
    if (!asked_.options().drop_stop_words || !is_stop_word(text)) {
      number = std::min(asked_.forms().find(former_.form_of(text)), kNotAsked);
    }
    if (known_.size() < kMostKnown && text.size() <= kLongestKnown) known_.add(word, number);
    return number;
  }

  const AskedPairs& asked_;
  AskedCounts counts_;
  WordScanner scanner_;
  WordFormer former_;
  WordTable known_;  // spellings: their numbers, or kNotAsked
  bool known_is_complete_ = false;
  std::vector<std::uint8_t> buckets_;
  std::uint64_t reach_;
  std::vector<Recent> recent_;  // a ring of the last first words; a window can't hold more than fit
  std::size_t mask_;
  std::size_t newest_ = 0;
  std::uint64_t position_ = 0;
  bool in_overlap_ = false;
  bool document_has_words_ = false;
};

std::unique_ptr<AskedCounts> count_asked(const std::vector<TextFile>& files, std::span<const WordPair> pairs,
                                         const CountOptions& options) {
  const auto asked = std::make_shared<const AskedPairs>(pairs, options.words);
  auto counts = std::make_unique<AskedCounts>(asked, options.windows);
  TextBlockReader reader(files, options.text, options.windows.back(), "counting", options.block);
  ThreadPool pool(options.threads);
  std::vector<std::unique_ptr<AskedCounter>> counters(pool.size());
  pool.parallel_for(counters.size(), [&](std::size_t i) {
    counters[i] = std::make_unique<AskedCounter>(asked, options);
    TextBlock block;
    while (reader.next(block)) counters[i]->count(block);
  });
  for (const auto& counter : counters) counts->add(counter->counts());
  return counts;
}

std::unique_ptr<AskedCounts> count_asked(const std::vector<TextFile>& files, std::span<const WordPair> pairs,
                                         const CountOptions& options, ProcessGroup& group) {
  if (group.size() == 1) return count_asked(files, pairs, options);
  auto counts = count_asked(share_of(files, group.rank(), group.size()), pairs, options);
  counts->add_up(group);
  return counts;
}

}  // namespace gumption
