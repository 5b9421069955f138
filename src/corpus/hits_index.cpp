#include "gumption/corpus/hits_index.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <optional>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "gumption/base/build_info.h"
#include "gumption/base/error.h"
#include "gumption/base/progress.h"
#include "gumption/base/thread_pool.h"
#include "gumption/corpus/hits_index_format.h"
#include "gumption/text/words.h"

#if GUMPTION_WITH_HITS
#include <xapian.h>
#endif

namespace gumption {

namespace fs = std::filesystem;

OptionSet describe(HitIndexOptions& options) {
  OptionSet set;
  set.add_choice(
      "documents", options.documents, "Where a document ends, besides the end of its file",
      std::vector<NamedValue<HitDocuments>>{
          {"file", HitDocuments::kFile}, {"blank-line", HitDocuments::kBlankLine}, {"line", HitDocuments::kLine}});
  return set;
}

#if GUMPTION_WITH_HITS

namespace {

/// A part holds this much text: its postings are gathered in memory, where they take some twenty times as much, and
/// written once, in order. Adding to a database that is there costs several times more than merging it with another,
/// and Xapian's trees in memory get slow when they outgrow the processor's caches.
constexpr std::size_t kPartBytes = std::size_t{2} << 20;

/// Each of the databases that are merged keeps three files open.
constexpr std::size_t kMergedAtOnce = 16;
constexpr std::size_t kMostWriters = 16;

/// Documents for one writer.
struct Batch {
  std::string text;
  std::vector<std::size_t> ends;

  void add(std::string_view document) {
    text += document;
    ends.push_back(text.size());
  }
  void clear() {
    text.clear();
    ends.clear();
  }
};

/// OUT.partial, held by this process alone and gone at the end.
class BuildFolder {
 public:
  explicit BuildFolder(const fs::path& out) : path_(out.string() + ".partial") {
    fs::create_directories(path_);
    descriptor_ = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor_ < 0) throw UserError(fmt::format("{}: {}.", path_.string(), system_message(errno)));
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      ::close(descriptor_);
      throw UserError(
          fmt::format("{}: another build is filling it. Wait for that one, or choose another --out.", path_.string()));
    }
    // Left by a build that was killed.
    for (const auto& entry : fs::directory_iterator(path_)) fs::remove_all(entry.path());
  }
  BuildFolder(const BuildFolder&) = delete;
  BuildFolder& operator=(const BuildFolder&) = delete;
  ~BuildFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
    ::close(descriptor_);
  }

  fs::path operator/(const std::string& name) const { return path_ / name; }

 private:
  fs::path path_;
  int descriptor_ = -1;
};

void merge(const std::vector<fs::path>& parts, const fs::path& into) {
  Xapian::Database all;
  for (const fs::path& part : parts) all.add_database(Xapian::Database(part.string()));
  all.compact(into.string(), Xapian::Compactor::FULL);
}

/// Writes documents into databases of its own and merges these, until finish() leaves one.
class PartWriter {
 public:
  PartWriter(fs::path name, std::string mark) : name_(std::move(name)), mark_(std::move(mark)) {}

  void add(const Batch& batch) {
    std::size_t begin = 0;
    for (const std::size_t end : batch.ends) {
      add_document(std::string_view(batch.text).substr(begin, end - begin));
      begin = end;
    }
  }

  void finish() {
    close_part();
    std::vector<fs::path> rest;
    for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
      rest.insert(rest.end(), level->begin(), level->end());
    }
    while (rest.size() > 1) {
      const auto end = rest.end() - static_cast<std::ptrdiff_t>(std::min(rest.size(), kMergedAtOnce));
      const std::vector<fs::path> some(end, rest.end());  // the smallest stand last
      rest.erase(end, rest.end());
      rest.push_back(merged(some));
    }
    levels_ = {rest};
  }

  /// After finish(): one part, or none without documents.
  const std::vector<fs::path>& parts() const { return levels_.front(); }
  std::uint64_t documents() const { return documents_; }
  std::uint64_t words() const { return words_; }

 private:
  void add_document(std::string_view text) {
    Xapian::Document document;
    Xapian::termpos position = 0;
    for_each_word(text, [&](std::string_view word) { document.add_posting(std::string(term_of(word)), ++position); });
    (part_ ? *part_ : open_part()).add_document(document);
    ++documents_;
    words_ += position;
    part_bytes_ += text.size();
    if (part_bytes_ >= kPartBytes) close_part();
  }

  Xapian::WritableDatabase& open_part() {
    part_path_ = new_path();
    // Nothing counts before the last rename: a crash loses the parts anyway.
    auto& part = part_.emplace(part_path_.string(), Xapian::DB_CREATE | Xapian::DB_NO_SYNC | Xapian::DB_DANGEROUS |
                                                        Xapian::DB_NO_TERMLIST | Xapian::DB_BACKEND_GLASS);
    part.set_metadata(kHitIndexKey, mark_);
    part_bytes_ = 0;
    return part;
  }

  void close_part() {
    if (!part_) return;
    part_->commit();
    part_.reset();
    keep(part_path_, 0);
  }

  /// Parts of one level are of one size; enough of them become one of the next.
  void keep(const fs::path& part, std::size_t level) {
    if (levels_.size() <= level) levels_.resize(level + 1);
    levels_[level].push_back(part);
    if (levels_[level].size() < kMergedAtOnce) return;
    const fs::path larger = merged(levels_[level]);
    levels_[level].clear();
    keep(larger, level + 1);
  }

  fs::path merged(const std::vector<fs::path>& parts) {
    fs::path into = new_path();
    merge(parts, into);
    for (const fs::path& part : parts) fs::remove_all(part);
    return into;
  }

  fs::path new_path() { return name_.string() + "-" + std::to_string(paths_made_++); }

  fs::path name_;
  std::string mark_;
  std::optional<Xapian::WritableDatabase> part_;
  fs::path part_path_;
  std::size_t part_bytes_ = 0;
  std::vector<std::vector<fs::path>> levels_ = {{}};
  std::size_t paths_made_ = 0;
  std::uint64_t documents_ = 0;
  std::uint64_t words_ = 0;
};

/// Reads documents and hands them to the writers, a batch each at a time.
class Builder {
 public:
  Builder(const BuildFolder& folder, const HitIndexOptions& options)
      : documents_(options.documents),
        pool_(std::min<std::size_t>(options.threads == 0 ? usable_cores() : options.threads, kMostWriters)),
        batches_(pool_.size()) {
    for (std::size_t i = 0; i < pool_.size(); ++i) {
      writers_.emplace_back(folder / fmt::format("part-{}", i), hit_index_mark(options.documents));
    }
  }

  void read(const std::vector<fs::path>& files) {
    std::uint64_t total = 0;
    for (const fs::path& file : files) total += size_of(file);
    Progress progress("indexing", "B", total);
    std::uint64_t before = 0;
    for (const fs::path& file : files) {
      for_each_document(file, documents_, [&](const HitDocument& document) {
        take(document.text);
        progress.set(before + document.raw_position);
      });
      before += size_of(file);
    }
    write_batches();
    pool_.parallel_for(writers_.size(), [&](std::size_t i) { writers_[i].finish(); });
  }

  /// All that was read, as one database.
  void merge_into(const fs::path& path) const {
    std::vector<fs::path> parts;
    for (const PartWriter& writer : writers_) parts.insert(parts.end(), writer.parts().begin(), writer.parts().end());
    merge(parts, path);
  }

  HitIndexSummary summary() const {
    HitIndexSummary summary;
    summary.text_bytes = text_bytes_;
    for (const PartWriter& writer : writers_) {
      summary.documents += writer.documents();
      summary.words += writer.words();
    }
    return summary;
  }

 private:
  static constexpr std::size_t kBatchBytes = std::size_t{1} << 20;

  static std::uint64_t size_of(const fs::path& file) { return fs::is_regular_file(file) ? fs::file_size(file) : 0; }

  void take(std::string_view document) {
    batches_[filling_].add(document);
    text_bytes_ += document.size();
    if (batches_[filling_].text.size() < kBatchBytes) return;
    if (++filling_ == batches_.size()) write_batches();
  }

  void write_batches() {
    pool_.parallel_for(batches_.size(), [&](std::size_t i) { writers_[i].add(batches_[i]); });
    for (Batch& batch : batches_) batch.clear();
    filling_ = 0;
  }

  HitDocuments documents_;
  ThreadPool pool_;
  std::vector<PartWriter> writers_;
  std::vector<Batch> batches_;
  std::size_t filling_ = 0;
  std::uint64_t text_bytes_ = 0;
};

std::uint64_t bytes_in(const fs::path& folder) {
  std::uint64_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(folder)) bytes += entry.file_size();
  return bytes;
}

HitIndexSummary build_in(const BuildFolder& folder, const std::vector<fs::path>& files, const HitIndexOptions& options,
                         const fs::path& out) {
  Builder builder(folder, options);
  builder.read(files);
  HitIndexSummary summary = builder.summary();
  summary.files = files.size();
  if (summary.documents == 0) {
    throw UserError(
        Complaint{files.front().string(), 0, "text to index", "nothing but white space", "Name other files"});
  }
  builder.merge_into(folder / "index");
  summary.index_bytes = bytes_in(folder / "index");
  fs::rename(folder / "index", out);
  return summary;
}

}  // namespace

HitIndexSummary build_hit_index(std::span<const fs::path> inputs, const HitIndexOptions& options, const fs::path& out) {
  ensure(!inputs.empty(), "there is something to index");
  if (fs::exists(out)) {
    throw UserError(fmt::format("{}: it exists already. Remove it, or choose another --out.", out.string()));
  }
  const std::vector<fs::path> files = text_files(inputs);
  // We say by bytes of text when to write; Xapian would, by documents, after a few paragraphs or gigabytes of books.
  ::setenv("XAPIAN_FLUSH_THRESHOLD", "1000000000", 0);
  const BuildFolder folder(out);
  try {
    return build_in(folder, files, options, out);
  } catch (const Xapian::Error& error) {
    throw UserError(fmt::format("{}: can't write the index: {}{}{}. Nothing was kept. Is the disk full?", out.string(),
                                error.get_msg(), error.get_error_string() != nullptr ? ": " : "",
                                error.get_error_string() != nullptr ? error.get_error_string() : ""));
  }
}

#else

HitIndexSummary build_hit_index(std::span<const fs::path>, const HitIndexOptions&, const fs::path&) {
  require_feature("hits");
  return {};
}

#endif

}  // namespace gumption
