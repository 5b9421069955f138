#include "gumption/corpus/index_merge.h"

#include <algorithm>
#include <bit>

#include "gumption/base/error.h"
#include "gumption/base/progress.h"
#include "gumption/base/random.h"

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
    for (const IndexBlock& block : blocks_) out.bytes += bytes_of(block);
    out.bytes += data_;
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
    append_varint(data_, x - before_);
    before_ = x;
    for (const std::uint64_t count : counts) append_varint(data_, count);
    ++pairs_;
  }

  std::size_t windows_;
  std::uint64_t min_pair_count_;
  std::vector<Open> heap_;
  std::vector<IndexBlock> blocks_;
  std::string data_;
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

/// Writes parts and keeps account of where they are.
class IndexWriter {
 public:
  explicit IndexWriter(AtomicFile& out) : out_(out) {}

  std::uint64_t position() const { return position_; }
  void start_sum() { sum_ = IndexSum(); }
  std::uint64_t sum() const { return sum_.value(); }

  void write(std::string_view bytes) {
    out_.write(bytes);
    sum_.add(bytes);
    position_ += bytes.size();
  }

  template <class Part>
  std::uint64_t write_all(const std::vector<Part>& parts) {
    const std::uint64_t begin = position_;
    write({reinterpret_cast<const char*>(parts.data()), parts.size() * sizeof(Part)});
    return begin;
  }

 private:
  AtomicFile& out_;
  std::uint64_t position_ = 0;
  IndexSum sum_;
};

std::vector<IndexRow> write_rows(const std::vector<std::vector<MappedFile>>& shards, std::uint32_t words,
                                 const IndexDescription& description, ThreadPool& pool, IndexWriter& writer,
                                 std::uint64_t& pairs) {
  std::vector<IndexRow> table(words);
  TaskDealer dealer(shards, words);
  Progress progress("merging", "words", words);
  while (true) {
    std::vector<MergeTask> tasks;
    while (tasks.size() < 2 * pool.size()) {
      tasks.push_back(dealer.next());
      if (tasks.back().rows.empty()) break;
    }
    std::vector<MergedRows> merged(tasks.size());
    pool.parallel_for(tasks.size(), [&](std::size_t i) { merged[i] = merge_task(tasks[i], description); });
    for (const MergedRows& part : merged) {
      for (const auto& [word, row] : part.rows) table[word] = {writer.position() + row.begin, row.pairs};
      writer.write(part.bytes);
      pairs += part.pairs;
    }
    progress.set(dealer.word());
    if (tasks.back().rows.empty()) return table;
  }
}

std::vector<std::uint32_t> hash_slots_of(const std::vector<CountedWord>& words) {
  std::vector<std::uint32_t> slots(std::bit_ceil(words.size() * 2 + 1));
  const std::size_t mask = slots.size() - 1;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::size_t at = stable_hash(words[i].word) & mask;
    while (slots[at] != 0) at = (at + 1) & mask;
    slots[at] = static_cast<std::uint32_t>(i + 1);
  }
  return slots;
}

void write_words(const std::vector<CountedWord>& words, IndexWriter& writer, IndexFoot& foot) {
  std::vector<std::uint64_t> counts;
  std::vector<std::uint64_t> ends;
  std::string letters;
  for (const auto& [word, count] : words) {
    counts.push_back(count);
    letters += word;
    ends.push_back(letters.size());
  }
  foot.words = words.size();
  foot.word_counts = writer.write_all(counts);
  foot.word_ends = writer.write_all(ends);
  foot.letters = writer.position();
  writer.write(letters);
  const auto slots = hash_slots_of(words);
  foot.slots_used = slots.size();
  foot.hash_slots = writer.write_all(slots);
}

void describe_in(const IndexDescription& description, IndexFoot& foot) {
  ensure(description.windows.size() <= kMostWindows, "an index has few windows");
  foot.total_words = description.totals.words;
  foot.documents = description.totals.documents;
  foot.bytes = description.totals.bytes;
  foot.min_count = description.words.min_count;
  foot.min_pair_count = description.min_pair_count;
  foot.form = static_cast<std::uint32_t>(description.words.form);
  foot.drops_stop_words = description.words.drop_stop_words ? 1 : 0;
  foot.windows_used = description.windows.size();
  std::copy(description.windows.begin(), description.windows.end(), foot.windows.begin());
}

}  // namespace

std::uint64_t merge_runs(const std::vector<ShardRuns>& shards, const std::vector<CountedWord>& words,
                         const IndexDescription& description, ThreadPool& pool, AtomicFile& out) {
  std::vector<std::vector<MappedFile>> mapped;
  for (const ShardRuns& runs : shards) {
    auto& files = mapped.emplace_back();
    for (const auto& path : runs) files.emplace_back(path);
  }
  IndexWriter writer(out);
  IndexHead head;
  std::copy(kIndexMagic.begin(), kIndexMagic.end(), head.magic.begin());
  writer.write(bytes_of(head));
  IndexFoot foot;
  describe_in(description, foot);
  writer.start_sum();
  const auto table =
      write_rows(mapped, static_cast<std::uint32_t>(words.size()), description, pool, writer, foot.pairs);
  foot.rows_sum = writer.sum();
  writer.start_sum();
  foot.row_table = writer.write_all(table);
  write_words(words, writer, foot);
  foot.manifest = writer.position();
  writer.write(description.manifest);
  foot.tables_sum = writer.sum();
  foot.size = writer.position() + sizeof(foot);
  foot.foot_sum = foot_sum(foot);
  writer.write(bytes_of(foot));
  return foot.pairs;
}

}  // namespace gumption
