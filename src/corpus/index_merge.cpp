#include "gumption/corpus/index_merge.h"

#include <algorithm>

#include "gumption/base/error.h"
#include "gumption/base/progress.h"

namespace gumption {

namespace {

/// A row of a run, as IndexShard wrote it.
struct RunRow {
  std::uint32_t word = 0;
  std::uint32_t pairs = 0;
  const char* begin = nullptr;
  const char* end = nullptr;
};

/// Walks over the rows of one shard.
class ShardCursor {
 public:
  explicit ShardCursor(const std::vector<MappedFile>* runs) : runs_(runs) { settle(); }

  bool at_end() const { return run_ == runs_->size(); }
  const RunRow& row() const { return row_; }

  void advance() {
    place_ = static_cast<std::size_t>(row_.end - (*runs_)[run_].bytes().data());
    settle();
  }

 private:
  static constexpr std::size_t kHead = 2 * sizeof(std::uint32_t) + sizeof(std::uint64_t);

  void settle() {
    while (!at_end() && place_ == (*runs_)[run_].bytes().size()) {
      ++run_;
      place_ = 0;
    }
    if (at_end()) return;
    const std::string_view bytes = (*runs_)[run_].bytes().substr(place_);
    std::uint64_t size = 0;
    ensure(bytes.size() >= kHead, "a run holds whole rows");
    std::memcpy(&row_.word, bytes.data(), sizeof(row_.word));
    std::memcpy(&row_.pairs, bytes.data() + sizeof(row_.word), sizeof(row_.pairs));
    std::memcpy(&size, bytes.data() + 2 * sizeof(row_.word), sizeof(size));
    ensure(bytes.size() - kHead >= size, "a run holds whole rows");
    row_.begin = bytes.data() + kHead;
    row_.end = row_.begin + size;
  }

  const std::vector<MappedFile>* runs_;
  std::size_t run_ = 0;
  std::size_t place_ = 0;
  RunRow row_;
};

/// Some words' rows, merged.
struct MergedRows {
  std::string bytes;
  std::vector<std::pair<std::uint32_t, IndexRow>> rows;  // begins from the start of `bytes`
  std::uint64_t pairs = 0;
};

/// Merges the rows of words one by one.
class RowMerger {
 public:
  RowMerger(std::size_t windows, std::uint64_t min_pair_count) : windows_(windows), min_pair_count_(min_pair_count) {}

  /// `rows`: the same word's in all shards that have it.
  void merge(std::span<const RunRow> rows, MergedRows& out) {
    pairs_ = 0;
    blocks_.clear();
    data_.clear();
    open(rows);
    std::vector<std::uint64_t> counts(windows_);
    while (!heap_.empty()) {
      const std::uint32_t x = heap_.front().x;
      std::fill(counts.begin(), counts.end(), 0);
      while (!heap_.empty() && heap_.front().x == x) take_first(counts);
      std::uint64_t sum = 0;
      for (const std::uint64_t count : counts) sum += count;
      if (sum >= min_pair_count_) append(x, counts);
    }
    if (pairs_ == 0) return;
    out.rows.emplace_back(rows.front().word, IndexRow{out.bytes.size(), pairs_});
    out.bytes.append(reinterpret_cast<const char*>(blocks_.data()), blocks_.size() * sizeof(IndexBlock));
    out.bytes += data_.view();
    out.pairs += pairs_;
  }

 private:
  struct Open {
    std::uint32_t x = 0;  // the pair to come
    const char* at = nullptr;
    const char* end = nullptr;
  };
  static bool later(const Open& a, const Open& b) { return a.x > b.x; }

  void open(std::span<const RunRow> rows) {
    heap_.clear();
    for (const RunRow& row : rows) {
      Open open{0, row.begin, row.end};
      if (open.at == open.end) continue;
      open.x = static_cast<std::uint32_t>(read_varint(open.at, open.end));
      heap_.push_back(open);
    }
    std::make_heap(heap_.begin(), heap_.end(), later);
  }

  /// Adds the counts of the pair at the top and moves its row on.
  void take_first(std::vector<std::uint64_t>& counts) {
    Open& first = heap_.front();
    for (std::uint64_t& count : counts) count += read_varint(first.at, first.end);
    if (first.at < first.end) {
      first.x += static_cast<std::uint32_t>(read_varint(first.at, first.end));
      sink();
      return;
    }
    heap_.front() = heap_.back();
    heap_.pop_back();
    sink();
  }

  /// Puts the top where it belongs.
  void sink() {
    std::size_t at = 0;
    while (true) {
      std::size_t child = 2 * at + 1;
      if (child >= heap_.size()) return;
      if (child + 1 < heap_.size() && later(heap_[child], heap_[child + 1])) ++child;
      if (!later(heap_[at], heap_[child])) return;
      std::swap(heap_[at], heap_[child]);
      at = child;
    }
  }

  void append(std::uint32_t x, const std::vector<std::uint64_t>& counts) {
    if (pairs_ % kBlockPairs == 0) {
      blocks_.push_back({x, static_cast<std::uint32_t>(data_.size())});
      before_ = x;
    }
    char* at = data_.room((counts.size() + 1) * kLongestVarint);
    at = put_varint(at, x - before_);
    before_ = x;
    for (const std::uint64_t count : counts) at = put_varint(at, count);
    data_.end_at(at);
    ++pairs_;
  }

  std::size_t windows_;
  std::uint64_t min_pair_count_;
  std::vector<Open> heap_;
  std::vector<IndexBlock> blocks_;
  GrowingBytes data_;
  std::uint64_t pairs_ = 0;
  std::uint32_t before_ = 0;
};

/// Rows of some words, one group for each word, to be merged on one thread.
struct MergeTask {
  std::vector<RunRow> rows;
  std::vector<std::size_t> ends;  // of the groups
};

/// Deals out the rows of all shards in the order of their words.
class TaskDealer {
 public:
  TaskDealer(const std::vector<std::vector<MappedFile>>& shards, std::uint32_t words) : words_(words) {
    for (const auto& runs : shards) cursors_.emplace_back(&runs);
  }

  /// Rows of about kTaskBytes; none at the end.
  MergeTask next() {
    constexpr std::size_t kTaskBytes = std::size_t{1} << 22;
    MergeTask task;
    std::size_t bytes = 0;
    for (; word_ < words_ && bytes < kTaskBytes; ++word_) {
      const std::size_t before = task.rows.size();
      for (ShardCursor& cursor : cursors_) {
        if (cursor.at_end() || cursor.row().word != word_) continue;
        task.rows.push_back(cursor.row());
        bytes += static_cast<std::size_t>(cursor.row().end - cursor.row().begin);
        cursor.advance();
      }
      if (task.rows.size() > before) task.ends.push_back(task.rows.size());
    }
    return task;
  }

  std::uint32_t word() const { return word_; }

 private:
  std::uint32_t words_;
  std::uint32_t word_ = 0;
  std::vector<ShardCursor> cursors_;
};

MergedRows merge_task(const MergeTask& task, const IndexDescription& description) {
  RowMerger merger(description.windows.size(), description.min_pair_count);
  MergedRows merged;
  std::size_t begin = 0;
  for (const std::size_t end : task.ends) {
    merger.merge(std::span(task.rows).subspan(begin, end - begin), merged);
    begin = end;
  }
  return merged;
}

}  // namespace

void MergedRowTable::append(const MergedRowTable& behind) {
  ensure(behind.rows.size() == rows.size(), "both tables are of the same words");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (behind.rows[i].pairs > 0) rows[i] = {bytes + behind.rows[i].begin, behind.rows[i].pairs};
  }
  bytes += behind.bytes;
  pairs += behind.pairs;
}

MergedRowTable merge_rows(const std::vector<ShardRuns>& shards, std::uint32_t words,
                          const IndexDescription& description, ThreadPool& pool, const TakeRows& take) {
  std::vector<std::vector<MappedFile>> mapped;
  for (const ShardRuns& runs : shards) {
    auto& files = mapped.emplace_back();
    for (const auto& path : runs) files.emplace_back(path);
  }
  MergedRowTable table;
  table.rows.resize(words);
  TaskDealer dealer(mapped, words);
  Progress progress("merging", "words", words);
  const auto take_merged = [&](const std::vector<MergedRows>& merged) {
    for (const MergedRows& part : merged) {
      for (const auto& [word, row] : part.rows) table.rows[word] = {table.bytes + row.begin, row.pairs};
      take(part.bytes);
      table.bytes += part.bytes.size();
      table.pairs += part.pairs;
    }
  };
  std::vector<MergedRows> before;  // taken while the next ones are merged
  for (bool more = true; more;) {
    std::vector<MergeTask> tasks;
    while (more && tasks.size() < 2 * pool.size()) {
      tasks.push_back(dealer.next());
      more = !tasks.back().rows.empty();
    }
    std::vector<MergedRows> merged(tasks.size());
    pool.parallel_for(tasks.size() + 1, [&](std::size_t i) {
      i == 0 ? take_merged(before) : static_cast<void>(merged[i - 1] = merge_task(tasks[i - 1], description));
    });
    before = std::move(merged);
    progress.set(dealer.word());
  }
  take_merged(before);
  return table;
}

}  // namespace gumption
