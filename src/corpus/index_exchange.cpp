#include "gumption/corpus/index_exchange.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gumption/base/error.h"
#include "gumption/base/files.h"
#include "gumption/base/random.h"
#include "gumption/text/stop_words.h"

namespace gumption {

namespace fs = std::filesystem;

namespace {

using GiveBlock = ProcessGroup::GiveBlock;

/// A process's words, those that fall to one process, in blocks of whole lines.
GiveBlock words_for(const std::vector<CountedWord>& words, const std::vector<std::uint32_t>& owners, std::size_t to) {
  constexpr std::size_t kEnough = ProcessGroup::kBlock / 2;  // a word is shorter than the other half
  return [&words, &owners, to, at = std::size_t{0}, block = std::string()]() mutable -> std::string_view {
    block.clear();
    for (; at < words.size() && block.size() < kEnough; ++at) {
      if (owners[at] == to) fmt::format_to(std::back_inserter(block), "{} {}\n", words[at].word, words[at].count);
    }
    return block;
  };
}

void add_lines(std::string_view lines, std::map<std::string, std::uint64_t, std::less<>>& counts) {
  while (!lines.empty()) {
    const std::size_t space = lines.find(' ');
    const std::size_t end = lines.find('\n');
    ensure(space < end && end != std::string_view::npos, "words come in whole lines");
    const auto count = parse_integer(lines.substr(space + 1, end - space - 1));
    if (!count) throw InternalError("a word has a count");
    const std::string_view word = lines.substr(0, space);
    auto found = counts.find(word);
    if (found == counts.end()) found = counts.emplace(word, 0).first;
    found->second += static_cast<std::uint64_t>(*count);
    lines.remove_prefix(end + 1);
  }
}

/// Lines of the words whose form is common enough.
std::string lines_of_common(const std::map<std::string, std::uint64_t, std::less<>>& counts, WordFormer& former,
                            const WordOptions& options) {
  std::map<std::string, std::uint64_t> forms;
  for (const auto& [word, count] : counts) forms[former.form_of(word)] += count;
  std::string lines;
  for (const auto& [word, count] : counts) {
    if (forms[former.form_of(word)] < options.min_count) continue;
    fmt::format_to(std::back_inserter(lines), "{} {}\n", word, count);
  }
  return lines;
}

/// What comes before the runs' bytes: how many there are, then two numbers for each.
struct SentRun {
  std::uint64_t shard = 0;
  std::uint64_t size = 0;
};

/// The runs for one process, as blocks: first what is to come, then each file.
class RunSender {
 public:
  RunSender(const std::vector<ShardRuns>& shards, std::size_t to, std::size_t processes) {
    for (std::size_t shard = 0; shard < shards.size(); ++shard) {
      const std::size_t runs = shards[shard].size() / processes;
      for (std::size_t i = to * runs; i < (to + 1) * runs; ++i) {
        const std::uint64_t size = fs::file_size(shards[shard][i]);
        if (size == 0) continue;
        files_.push_back(shards[shard][i]);
        const SentRun sent = {shard, size};
        head_.append(reinterpret_cast<const char*>(&sent), sizeof(sent));
      }
    }
    ensure(head_.size() < ProcessGroup::kBlock, "a block can say which runs come");
  }

  std::string_view next() {
    if (!head_sent_) {
      head_sent_ = true;
      return head_;
    }
    block_.resize(ProcessGroup::kBlock);
    while (true) {
      if (!source_) {
        if (next_file_ == files_.size()) return {};
        source_ = open_plain(files_[next_file_++]);
      }
      const std::size_t got = source_->read(block_.data(), block_.size());
      if (got > 0) return std::string_view(block_).substr(0, got);
      source_.reset();
    }
  }

 private:
  std::vector<fs::path> files_;
  std::string head_;
  bool head_sent_ = false;
  std::size_t next_file_ = 0;
  std::unique_ptr<ByteSource> source_;
  std::string block_;
};

/// The runs from one process, into files.
class RunReceiver {
 public:
  RunReceiver(fs::path folder, std::size_t from) : folder_(std::move(folder)), from_(from) {}

  void take(std::string_view block) {
    if (!head_taken_) {
      head_taken_ = true;
      coming_.resize(block.size() / sizeof(SentRun));
      std::memcpy(coming_.data(), block.data(), coming_.size() * sizeof(SentRun));
      return;
    }
    ensure(next_ < coming_.size(), "no more runs come than were said");
    if (!file_) {
      path_ = folder_ / fmt::format("from-{}-run-{}", from_, next_);
      file_ = std::make_unique<AtomicFile>(path_);
    }
    file_->write(block);
    written_ += block.size();
    if (written_ < coming_[next_].size) return;
    ensure(written_ == coming_[next_].size, "a run comes in whole blocks");
    file_->commit();
    file_.reset();
    shards_[coming_[next_].shard].push_back(path_);
    written_ = 0;
    ++next_;
  }

  /// One for each of the sender's shards.
  void add_to(std::vector<ShardRuns>& shards) const {
    ensure(next_ == coming_.size(), "all runs came");
    for (const auto& [number, runs] : shards_) shards.push_back(runs);
  }

 private:
  fs::path folder_;
  std::size_t from_;
  bool head_taken_ = false;
  std::vector<SentRun> coming_;
  std::size_t next_ = 0;
  std::uint64_t written_ = 0;
  fs::path path_;
  std::unique_ptr<AtomicFile> file_;
  std::map<std::uint64_t, ShardRuns> shards_;
};

GiveBlock blocks_of(std::string_view bytes) {
  return [bytes]() mutable {
    const std::string_view block = bytes.substr(0, ProcessGroup::kBlock);
    bytes.remove_prefix(block.size());
    return block;
  };
}

void send_rows(ProcessGroup& group, const MergedRowTable& table, const fs::path& rows, WordRange range) {
  std::string head(reinterpret_cast<const char*>(&table.bytes), sizeof(table.bytes));
  head.append(reinterpret_cast<const char*>(&table.pairs), sizeof(table.pairs));
  head.append(reinterpret_cast<const char*>(table.rows.data() + range.begin),
              (range.end - range.begin) * sizeof(IndexRow));
  group.send(0, blocks_of(head));
  const auto source = open_plain(rows);
  std::string block(ProcessGroup::kBlock, '\0');
  group.send(0, [&] { return std::string_view(block).substr(0, source->read(block.data(), block.size())); });
}

MergedRowTable receive_rows(ProcessGroup& group, std::size_t from, WordRange range, std::size_t words,
                            const TakeRows& take) {
  std::string head;
  group.receive(from, [&](std::string_view block) { head += block; });
  MergedRowTable table;
  table.rows.resize(words);
  ensure(head.size() == 2 * sizeof(table.bytes) + (range.end - range.begin) * sizeof(IndexRow), "a range has its rows");
  std::memcpy(&table.bytes, head.data(), sizeof(table.bytes));
  std::memcpy(&table.pairs, head.data() + sizeof(table.bytes), sizeof(table.pairs));
  std::memcpy(table.rows.data() + range.begin, head.data() + 2 * sizeof(table.bytes),
              (range.end - range.begin) * sizeof(IndexRow));
  group.receive(from, take);
  return table;
}

}  // namespace

std::vector<TextFile> gather_files(ProcessGroup& group, const std::vector<TextFile>& own) {
  if (group.size() == 1) return own;
  auto json = nlohmann::json::array();
  for (const TextFile& file : own) json.push_back({file.path, file.size, file.changed_ns});
  std::vector<TextFile> all;
  for (const std::string& text :
       group.all_gather(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace))) {
    for (const auto& file : nlohmann::json::parse(text)) {
      all.push_back({file[0].get<std::string>(), file[1].get<std::uint64_t>(), file[2].get<std::int64_t>()});
    }
  }
  return all;
}

void expect_same(ProcessGroup& group, const std::string& text, const std::string& what) {
  const auto all = group.all_gather(text);
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    if (all[rank] == all[0]) continue;
    throw UserError(
        fmt::format("Process {} has other {} than process 0. Start all with the same command.", rank, what));
  }
}

TextVocabulary gather_words(ProcessGroup& group, TextVocabulary own, const WordOptions& options) {
  if (group.size() == 1) return own;
  std::array<std::uint64_t, 3> totals = {own.totals.words, own.totals.documents, own.totals.bytes};
  group.all_reduce_sum(totals);
  WordFormer former(options.form);
  std::vector<std::uint32_t> owners;
  std::map<std::string, std::uint64_t, std::less<>> counts;
  for (const auto& [word, count] : own.words) {
    const bool dropped = options.drop_stop_words && is_stop_word(word);
    const std::size_t owner = stable_hash(former.form_of(word)) % group.size();
    owners.push_back(static_cast<std::uint32_t>(dropped ? group.size() : owner));
    if (owners.back() == group.rank()) counts.emplace(word, count);
  }
  group.all_to_all([&](std::size_t to) { return words_for(own.words, owners, to); },
                   [&](std::size_t, std::string_view block) { add_lines(block, counts); });
  const std::string common = lines_of_common(counts, former, options);
  counts.clear();
  for (const std::string& lines : group.all_gather(common)) add_lines(lines, counts);
  TextVocabulary all;
  all.totals = {totals[0], totals[1], totals[2]};
  for (const auto& [word, count] : counts) all.words.push_back({word, count});
  return all;
}

std::vector<WordRange> ranges_of_processes(const std::vector<CountedWord>& words, std::uint64_t window,
                                           std::size_t processes) {
  // A row can't hold more pairs than there are words, however common its word is.
  std::vector<std::uint64_t> weights;
  for (const CountedWord& word : words) {
    weights.push_back(std::min<std::uint64_t>(word.count * window, words.size()));
  }
  return share_out({0, static_cast<std::uint32_t>(words.size())}, processes, weights);
}

std::vector<ShardRuns> exchange_runs(ProcessGroup& group, const std::vector<ShardRuns>& shards,
                                     const fs::path& folder) {
  std::vector<ShardRuns> mine;
  for (const ShardRuns& runs : shards) {
    const auto each = static_cast<std::ptrdiff_t>(runs.size() / group.size());
    const auto begin = runs.begin() + each * static_cast<std::ptrdiff_t>(group.rank());
    mine.emplace_back(begin, begin + each);
  }
  std::map<std::size_t, RunReceiver> receivers;
  for (std::size_t from = 0; from < group.size(); ++from) {
    if (from != group.rank()) receivers.try_emplace(from, folder, from);
  }
  group.all_to_all(
      [&](std::size_t to) -> GiveBlock {
        const auto sender = std::make_shared<RunSender>(shards, to, group.size());
        return [sender] { return sender->next(); };
      },
      [&](std::size_t from, std::string_view block) { receivers.at(from).take(block); });
  for (const auto& [from, receiver] : receivers) receiver.add_to(mine);
  return mine;
}

MergedRowTable gather_rows(ProcessGroup& group, MergedRowTable table, const fs::path& rows,
                           const std::vector<WordRange>& ranges, const TakeRows& take) {
  if (!group.is_first()) {
    send_rows(group, table, rows, ranges[group.rank()]);
    return table;
  }
  for (std::size_t from = 1; from < group.size(); ++from) {
    table.append(receive_rows(group, from, ranges[from], table.rows.size(), take));
  }
  return table;
}

}  // namespace gumption
