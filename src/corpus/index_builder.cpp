#include "gumption/corpus/index_builder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <optional>

#include <fmt/format.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif
#include <nlohmann/json.hpp>

#include "gumption/base/error.h"
#include "gumption/base/file_lock.h"
#include "gumption/base/files.h"
#include "gumption/base/progress.h"
#include "gumption/base/random.h"
#include "gumption/base/thread_pool.h"
#include "gumption/corpus/index_exchange.h"
#include "gumption/corpus/index_merge.h"
#include "gumption/corpus/index_shard.h"
#include "gumption/corpus/vocabulary_pass.h"

namespace gumption {

namespace fs = std::filesystem;

OptionSet describe(BuildOptions& options) {
  OptionSet set;
  set.add("windows", options.windows, "Window sizes in words, with commas between");
  set.add("min_pair_count", options.min_pair_count, "Pairs that are met less often in the largest window are left out",
          {1, std::uint64_t{1} << 40});
  set.add_all(describe(options.text));
  set.add_all(describe(options.words));
  set.add("shard_mb", options.shard_mb, "MB of text to count at a time; takes about four times as much memory",
          {1, 1024});
  set.add_choice("inputs", options.inputs,
                 "With several processes: whether all see the same files and share them, or each is given its own",
                 std::vector<NamedValue<ClusterInputs>>{{"same", ClusterInputs::kSame}, {"own", ClusterInputs::kOwn}});
  return set;
}

namespace {

constexpr std::uint64_t kLargestWindow = 1000;

/// What may be kept of the text from the first pass to the second, for each MB of a shard: about as much again as
/// counting a shard takes.
constexpr std::uint64_t kKeptBytesForShardMb = 3'000'000;

std::string manifest_of(const std::vector<TextFile>& files, const BuildOptions& options) {
  nlohmann::ordered_json json;
  json["windows"] = parse_windows(options.windows);
  json["min_count"] = options.words.min_count;
  json["min_pair_count"] = options.min_pair_count;
  json["form"] = std::vector{"written", "stem", "lemma"}[static_cast<std::size_t>(options.words.form)];
  json["drop_stop_words"] = options.words.drop_stop_words;
  json["document_end"] = std::vector{"file", "blank-line", "line"}[static_cast<std::size_t>(options.text.documents)];
  json["invalid"] = std::vector{"separate", "refuse"}[static_cast<std::size_t>(options.text.invalid)];
  json["sources"] = nlohmann::ordered_json::array();
  for (const TextFile& file : files) {
    json["sources"].push_back({{"path", file.path}, {"bytes", file.size}, {"changed_ns", file.changed_ns}});
  }
  return json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string read_file(const fs::path& path) {
  const auto source = open_plain(path);
  return read_all(*source);
}

/// Where a process works: beside the index, each under a name of its own, since they may share a file system.
fs::path folder_for(const fs::path& out, const ProcessGroup& group) {
  return out.string() + (group.is_first() ? ".building" : fmt::format(".building-{}", group.rank()));
}

/// Where the shards' words come from: from memory where the first pass could keep them, else from the files.
class ShardText {
 public:
  ShardText(KeptText& kept, const ShardPlan& plan, const std::vector<TextFile>& files, const TextOptions& options)
      : kept_(kept), progress_(kWhat, "B", kept.blocks() * TextBlockReader::kBlock) {
    if (kept.is_whole()) {
      renumbering_ = kept.renumbering(*plan.numbers, plan.words);
    } else {
      reader_.emplace(files, options, plan.windows.back(), kWhat);
    }
  }

  /// Passes over the blocks before number `end`.
  void skip(std::uint64_t end) {
    if (!reader_) {
      take(end);
      return;
    }
    TextBlock skipped;
    while (reader_->next(skipped, end)) {
    }
  }

  /// Fills a shard with them; false where the text has ended.
  bool fill(IndexShard& shard, std::uint64_t end, ThreadPool& pool) {
    return reader_ ? shard.read(*reader_, end, pool) : shard.take(take(end), renumbering_, pool);
  }

 private:
  static constexpr const char* kWhat = "counting pairs";

  std::vector<NumberedBlock> take(std::uint64_t end) {
    auto blocks = kept_.take_before(end);
    progress_.add(blocks.size() * TextBlockReader::kBlock);
    return blocks;
  }

  KeptText& kept_;
  Progress progress_;
  std::vector<std::vector<std::uint32_t>> renumbering_;
  std::optional<TextBlockReader> reader_;
};

/// Gives memory that was freed back to the system, which would need it for the pages of the runs.
void return_freed_memory() {
#if defined(__GLIBC__)
  ::malloc_trim(0);
#endif
}

/// One build, in its folder.
class Build {
 public:
  Build(const fs::path& out, const BuildOptions& options, ProcessGroup& group)
      : options_(options),
        windows_(parse_windows(options.windows)),
        group_(group),
        folder_(folder_for(out, group)),
        out_(group.is_first() ? std::make_unique<AtomicFile>(out) : nullptr),
        lock_(prepared(folder_) / "lock", out),
        pool_(options.threads) {
    if (windows_.back() > kLargestWindow) {
      throw UserError(
          fmt::format("windows: expected at most {} words for an index, found {}.", kLargestWindow, windows_.back()));
    }
  }

  BuildReport run(const std::vector<std::string>& inputs) {
    std::vector<TextFile> files = find_text_files(inputs);
    const std::string manifest = manifest_for(files);
    if (group_.size() > 1 && options_.inputs == ClusterInputs::kSame) {
      files = share_of(files, group_.rank(), group_.size());
    }
    continue_or_start(manifest, files);
    keep_what_flows(files);
    KeptText kept(windows_.back(), options_.shard_mb * kKeptBytesForShardMb);
    const TextVocabulary vocabulary = gather_words(group_, vocabulary_of(files, kept), options_.words);
    const IndexVocabulary chosen = choose_words(vocabulary, options_.words);
    report_.words = chosen.words.size();
    report_.totals = vocabulary.totals;
    ranges_ = ranges_of_processes(chosen.words, windows_.back(), group_.size());
    forget_other_numbers(chosen);
    count_shards(files, kept, chosen);
    return_freed_memory();
    merge(chosen, {windows_, options_.words, options_.min_pair_count, vocabulary.totals, manifest});
    group_.barrier();  // nobody throws work away before the index is there
    fs::remove_all(folder_);
    return report_;
  }

 private:
  /// What the index says about its sources: those of all processes.
  std::string manifest_for(const std::vector<TextFile>& files) {
    if (group_.size() == 1) return manifest_of(files, options_);
    const bool own = options_.inputs == ClusterInputs::kOwn;
    std::vector<TextFile> compared = own ? std::vector<TextFile>() : files;
    for (TextFile& file : compared) file.changed_ns = 0;  // copies of a file are as good
    expect_same(group_, manifest_of(compared, options_) + std::to_string(options_.shard_mb), "inputs or options");
    if (own) return manifest_of(gather_files(group_, files), options_);
    return group_.all_gather(group_.is_first() ? manifest_of(files, options_) : "").front();
  }

  static fs::path prepared(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw UserError(fmt::format("{}: can't make this folder: {}.", folder.string(), error.message()));
    return folder;
  }

  static bool is_file(const TextFile& file) {
    std::error_code ignored;
    return file.path != "-" && fs::is_regular_file(file.path, ignored);
  }

  /// Removes what another kind of build left, unless it is what this one would do.
  void continue_or_start(const std::string& manifest, const std::vector<TextFile>& files) {
    // How the text is divided belongs to the work, not to the index.
    std::string plan = fmt::format("version {}\n{}\nshards of {} MB\nprocess {} of {}\n", kIndexVersion, manifest,
                                   options_.shard_mb, group_.rank(), group_.size());
    for (const TextFile& file : files) {
      fmt::format_to(std::back_inserter(plan), "{} {} {} {} {}\n", file.path, file.size, file.changed_ns, file.begin,
                     file.end);
    }
    const bool may_continue = std::all_of(files.begin(), files.end(), is_file);
    const fs::path written = folder_ / "plan";
    if (may_continue && fs::exists(written) && read_file(written) == plan) return;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      if (entry.path().filename() != "lock") fs::remove_all(entry.path());
    }
    write_file(written, plan);
  }

  /// Runs hold words as numbers. Where another process's text has changed, so have the numbers.
  void forget_other_numbers(const IndexVocabulary& chosen) const {
    std::uint64_t sum = 0;
    for (const auto& [word, count] : chosen.words) sum = stable_hash(word) + std::rotl(sum, 1);
    const std::string numbers = fmt::format("{} {}\n", chosen.words.size(), sum);
    const fs::path written = folder_ / "numbers";
    if (fs::exists(written) && read_file(written) == numbers) return;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      if (entry.path().filename().string().starts_with("shard-")) fs::remove(entry.path());
    }
    write_file(written, numbers);
  }

  /// Standard input and pipes become files of the folder.
  void keep_what_flows(std::vector<TextFile>& files) const {
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (is_file(files[i])) continue;
      const fs::path kept = folder_ / fmt::format("input-{}", i);
      const auto source = open_plain(files[i].path);
      AtomicFile copy(kept);
      std::string buffer(std::size_t{1} << 20, '\0');
      while (const std::size_t got = source->read(buffer.data(), buffer.size())) copy.write({buffer.data(), got});
      copy.commit();
      files[i] = find_text_files({kept.string()}).front();
    }
  }

  TextVocabulary vocabulary_of(const std::vector<TextFile>& files, KeptText& kept) {
    const fs::path written = folder_ / "vocabulary";
    if (fs::exists(written)) return vocabulary_from(read_file(written), written.string());
    TextVocabulary vocabulary = count_words(files, options_.text, pool_, kept);
    write_file(written, to_text(vocabulary));
    return vocabulary;
  }

  /// So many that a shard's counts fit 32 bits even if it is one word over and over, two bytes each.
  std::uint64_t blocks_in_shard() const {
    const std::uint64_t most_words = (std::uint64_t{1} << 32) / windows_.back();
    const std::uint64_t most_blocks = most_words / (TextBlockReader::kBlock / 2 + 1);
    return std::min(options_.shard_mb * 1'000'000 / TextBlockReader::kBlock + 1,
                    std::max<std::uint64_t>(most_blocks, 1));
  }

  void count_shards(const std::vector<TextFile>& files, KeptText& kept, const IndexVocabulary& chosen) {
    const ShardPlan plan = {&chosen.numbers, static_cast<std::uint32_t>(chosen.words.size()), windows_,
                            options_.text.documents};
    ShardText text(kept, plan, files, options_.text);
    IndexShard shard(plan);  // one for all of them, so that its memory is used again
    for (std::uint64_t number = 0; count_shard(text, shard, number); ++number) {
    }
    std::array<std::uint64_t, 2> shards = {shards_.size(), report_.continued};
    group_.all_reduce_sum(shards);
    report_.shards = shards[0];
    report_.continued = shards[1];
  }

  /// False where the text has ended before this shard.
  bool count_shard(ShardText& text, IndexShard& shard, std::uint64_t number) {
    const std::uint64_t end = (number + 1) * blocks_in_shard();
    if (auto finished = finished_runs(number)) {
      text.skip(end);
      shards_.push_back(std::move(*finished));
      ++report_.continued;
      return true;
    }
    if (!text.fill(shard, end, pool_)) return false;
    shards_.push_back(runs_of(number));
    std::string sums;
    for (const auto& [size, sum] : shard.write_runs(shards_.back(), ranges_, pool_)) {
      fmt::format_to(std::back_inserter(sums), "{} {}\n", size, sum);
    }
    write_file(done_file(number), sums);
    return true;
  }

  fs::path done_file(std::uint64_t number) const { return folder_ / fmt::format("shard-{}", number); }

  /// A shard's runs where an earlier build finished all of them and they are as it left them.
  std::optional<ShardRuns> finished_runs(std::uint64_t number) const {
    if (!fs::exists(done_file(number))) return std::nullopt;
    const std::string sums = read_file(done_file(number));
    ShardRuns runs = runs_of(number);
    std::string found;
    for (const fs::path& run : runs) {
      if (!fs::exists(run)) return std::nullopt;
      const auto [size, sum] = sum_of_run(run);
      fmt::format_to(std::back_inserter(found), "{} {}\n", size, sum);
    }
    return found == sums ? std::optional(std::move(runs)) : std::nullopt;
  }

  /// Each process merges its range of the words; the first puts all of them into the file.
  void merge(const IndexVocabulary& chosen, const IndexDescription& description) {
    const auto words = static_cast<std::uint32_t>(chosen.words.size());
    const auto runs = exchange_runs(group_, shards_, folder_);
    const fs::path rows = folder_ / "rows";
    if (!group_.is_first()) {
      AtomicFile file(rows);
      auto table = merge_rows(runs, words, description, pool_, [&](std::string_view bytes) { file.write(bytes); });
      file.commit();
      gather_rows(group_, std::move(table), rows, ranges_, {});
      return;
    }
    IndexFileWriter writer(*out_);
    const auto take = [&](std::string_view bytes) { writer.add_rows(bytes); };
    auto table = merge_rows(runs, words, description, pool_, take);
    table = gather_rows(group_, std::move(table), rows, ranges_, take);
    report_.pairs = table.pairs;
    writer.finish(std::move(table), chosen.words, description);
    out_->commit();
  }

  /// One for each range of words.
  ShardRuns runs_of(std::uint64_t number) const {
    ShardRuns runs;
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
      runs.push_back(folder_ / fmt::format("shard-{}-run-{}", number, i));
    }
    return runs;
  }

  BuildOptions options_;
  std::vector<std::uint64_t> windows_;
  ProcessGroup& group_;
  fs::path folder_;
  // The first process's. Opened before anything is made, so that a place that can't be written to is noticed at once.
  std::unique_ptr<AtomicFile> out_;
  FileLock lock_;
  ThreadPool pool_;
  std::vector<WordRange> ranges_;  // of the words, for each process
  std::vector<ShardRuns> shards_;
  BuildReport report_;
};

}  // namespace

BuildReport build_count_index(const std::vector<std::string>& inputs, const fs::path& out,
                              const BuildOptions& options) {
  ProcessGroup alone{ClusterOptions()};
  return build_count_index(inputs, out, options, alone);
}

BuildReport build_count_index(const std::vector<std::string>& inputs, const fs::path& out, const BuildOptions& options,
                              ProcessGroup& group) {
  return Build(out, options, group).run(inputs);
}

}  // namespace gumption
