#include "gumption/corpus/index_builder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gumption/base/error.h"
#include "gumption/base/file_lock.h"
#include "gumption/base/files.h"
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
  set.add("shard_mb", options.shard_mb, "MB of text to count at a time; takes about three times as much memory",
          {1, 1024});
  set.add_choice("inputs", options.inputs,
                 "With several processes: whether all see the same files and share them, or each is given its own",
                 std::vector<NamedValue<ClusterInputs>>{{"same", ClusterInputs::kSame}, {"own", ClusterInputs::kOwn}});
  return set;
}

namespace {

constexpr std::uint64_t kLargestWindow = 1000;

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
    const TextVocabulary vocabulary = gather_words(group_, vocabulary_of(files), options_.words);
    const IndexVocabulary chosen = choose_words(vocabulary, options_.words);
    report_.words = chosen.words.size();
    report_.totals = vocabulary.totals;
    ranges_ = ranges_of_processes(chosen.words, windows_.back(), group_.size());
    forget_other_numbers(chosen);
    count_shards(files, chosen);
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

  TextVocabulary vocabulary_of(const std::vector<TextFile>& files) {
    const fs::path written = folder_ / "vocabulary";
    if (fs::exists(written)) return vocabulary_from(read_file(written), written.string());
    TextVocabulary vocabulary = count_words(files, options_.text, pool_.size());
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

  void count_shards(const std::vector<TextFile>& files, const IndexVocabulary& chosen) {
    const ShardPlan plan = {&chosen.numbers, static_cast<std::uint32_t>(chosen.words.size()), windows_,
                            options_.text.documents};
    TextBlockReader reader(files, options_.text, windows_.back(), "counting pairs");
    IndexShard shard(plan);  // one for all of them, so that its memory is used again
    for (std::uint64_t number = 0; count_shard(reader, shard, number); ++number) {
    }
    std::array<std::uint64_t, 2> shards = {shards_.size(), report_.continued};
    group_.all_reduce_sum(shards);
    report_.shards = shards[0];
    report_.continued = shards[1];
  }

  /// False where the text has ended before this shard.
  bool count_shard(TextBlockReader& reader, IndexShard& shard, std::uint64_t number) {
    const std::uint64_t end = (number + 1) * blocks_in_shard();
    const fs::path done = folder_ / fmt::format("shard-{}", number);
    if (fs::exists(done)) {
      TextBlock skipped;
      while (reader.next(skipped, end)) {
      }
      shards_.push_back(runs_of(number, static_cast<std::size_t>(parse_integer(read_file(done)).value_or(0))));
      ++report_.continued;
      return true;
    }
    if (!shard.read(reader, end, pool_)) return false;
    // Rare words take longer than common ones, so the threads share more runs than they are.
    constexpr std::size_t kRunsForThread = 3;
    const std::size_t runs = (pool_.size() == 1 ? 1 : pool_.size() * kRunsForThread) * ranges_.size();
    shards_.push_back(runs_of(number, runs));
    shard.write_runs(shards_.back(), ranges_, pool_);
    write_file(done, std::to_string(runs));
    return true;
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

  ShardRuns runs_of(std::uint64_t number, std::size_t count) const {
    ShardRuns runs;
    for (std::size_t i = 0; i < count; ++i) runs.push_back(folder_ / fmt::format("shard-{}-run-{}", number, i));
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
