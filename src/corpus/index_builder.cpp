#include "gumption/corpus/index_builder.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gumption/base/error.h"
#include "gumption/base/file_lock.h"
#include "gumption/base/files.h"
#include "gumption/base/thread_pool.h"
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

/// One build, in its folder.
class Build {
 public:
  Build(const fs::path& out, const BuildOptions& options)
      : options_(options),
        windows_(parse_windows(options.windows)),
        folder_(out.string() + ".building"),
        out_(out),
        lock_(prepared(folder_) / "lock", out),
        pool_(options.threads) {
    if (windows_.back() > kLargestWindow) {
      throw UserError(
          fmt::format("windows: expected at most {} words for an index, found {}.", kLargestWindow, windows_.back()));
    }
  }

  BuildReport run(const std::vector<std::string>& inputs) {
    std::vector<TextFile> files = find_text_files(inputs);
    const std::string manifest = manifest_of(files, options_);
    continue_or_start(manifest, can_be_read_again(files));
    keep_what_flows(files);
    const TextVocabulary vocabulary = vocabulary_of(files);
    const IndexVocabulary chosen = choose_words(vocabulary, options_.words);
    report_.words = chosen.words.size();
    report_.totals = vocabulary.totals;
    count_shards(files, chosen);
    const IndexDescription description = {windows_, options_.words, options_.min_pair_count, vocabulary.totals,
                                          manifest};
    report_.pairs = merge_runs(shards_, chosen.words, description, pool_, out_);
    out_.commit();
    fs::remove_all(folder_);
    return report_;
  }

 private:
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
  static bool can_be_read_again(const std::vector<TextFile>& files) {
    return std::all_of(files.begin(), files.end(), is_file);
  }

  /// Removes what another kind of build left, unless it is what this one would do.
  void continue_or_start(const std::string& manifest, bool may_continue) {
    // How the text is divided belongs to the work, not to the index.
    const std::string plan =
        fmt::format("version {}\n{}\nshards of {} MB\n", kIndexVersion, manifest, options_.shard_mb);
    const fs::path written = folder_ / "plan";
    if (may_continue && fs::exists(written) && read_file(written) == plan) return;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      if (entry.path().filename() != "lock") fs::remove_all(entry.path());
    }
    write_file(written, plan);
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
    for (std::uint64_t number = 0; count_shard(reader, plan, number); ++number) {
    }
    report_.shards = shards_.size();
  }

  /// False where the text has ended before this shard.
  bool count_shard(TextBlockReader& reader, const ShardPlan& plan, std::uint64_t number) {
    const std::uint64_t end = (number + 1) * blocks_in_shard();
    const fs::path done = folder_ / fmt::format("shard-{}", number);
    if (fs::exists(done)) {
      TextBlock skipped;
      while (reader.next(skipped, end)) {
      }
      shards_.push_back(runs_of(number, parse_integer(read_file(done)).value_or(0)));
      ++report_.continued;
      return true;
    }
    IndexShard shard(plan);
    if (!shard.read(reader, end, pool_)) return false;
    shards_.push_back(runs_of(number, static_cast<std::int64_t>(pool_.size())));
    shard.write_runs(shards_.back(), pool_);
    write_file(done, std::to_string(pool_.size()));
    return true;
  }

  ShardRuns runs_of(std::uint64_t number, std::int64_t count) const {
    ShardRuns runs;
    for (std::int64_t i = 0; i < count; ++i) runs.push_back(folder_ / fmt::format("shard-{}-run-{}", number, i));
    return runs;
  }

  BuildOptions options_;
  std::vector<std::uint64_t> windows_;
  fs::path folder_;
  AtomicFile out_;  // opened first, so that a place that can't be written to is noticed at once
  FileLock lock_;
  ThreadPool pool_;
  std::vector<ShardRuns> shards_;
  BuildReport report_;
};

}  // namespace

BuildReport build_count_index(const std::vector<std::string>& inputs, const fs::path& out,
                              const BuildOptions& options) {
  return Build(out, options).run(inputs);
}

}  // namespace gumption
