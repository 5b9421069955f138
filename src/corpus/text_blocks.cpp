#include "gumption/corpus/text_blocks.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <glob.h>

#include "gumption/base/archive.h"
#include "gumption/base/error.h"
#include "gumption/base/files.h"
#include "gumption/corpus/word_scanner.h"

namespace gumption {

namespace fs = std::filesystem;

namespace {

TextFile text_file(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return {path.string(), 0, 0};  // a pipe, or one that opening will refuse
  return {path.string(), fs::file_size(path), fs::last_write_time(path).time_since_epoch().count()};
}

void add_folder(const fs::path& folder, std::vector<TextFile>& files) {
  std::vector<fs::path> found;
  const auto is_hidden = [](const fs::path& path) { return path.filename().string().starts_with("."); };
  for (auto entry = fs::recursive_directory_iterator(folder); entry != fs::recursive_directory_iterator(); ++entry) {
    if (is_hidden(entry->path())) {
      if (entry->is_directory()) entry.disable_recursion_pending();
    } else if (entry->is_regular_file()) {
      found.push_back(entry->path());
    }
  }
  if (found.empty()) throw UserError(fmt::format("{}: expected text files in it, found none.", folder.string()));
  std::sort(found.begin(), found.end());
  for (const fs::path& path : found) files.push_back(text_file(path));
}

std::vector<std::string> matches_of(const std::string& pattern) {
  glob_t found{};
  std::vector<std::string> names;
  if (::glob(pattern.c_str(), 0, nullptr, &found) == 0) {
    for (std::size_t i = 0; i < found.gl_pathc; ++i) names.emplace_back(found.gl_pathv[i]);
  }
  ::globfree(&found);
  std::sort(names.begin(), names.end());
  if (names.empty()) {
    throw UserError(fmt::format("{}: expected a file, a folder or a pattern, found nothing of that name.", pattern));
  }
  return names;
}

void add_input(const std::string& name, std::vector<TextFile>& files) {
  if (name == "-") {
    files.push_back({name, 0, 0});
  } else if (fs::is_directory(name)) {
    add_folder(name, files);
  } else if (fs::exists(name)) {
    files.push_back(text_file(name));
  } else {
    for (const std::string& match : matches_of(name)) add_input(match, files);
  }
}

bool is_plain_separator(char byte) {
  const auto value = static_cast<unsigned char>(byte);
  const bool word_byte = (value >= '0' && value <= '9') || ((value | 0x20) >= 'a' && (value | 0x20) <= 'z');
  return value < 0x80 && !word_byte && byte != '\'';
}

/// Behind the last place in text[from, …) where a word can't go on; nothing where there is none.
std::optional<std::size_t> last_cut(std::string_view text, std::size_t from) {
  for (std::size_t at = text.size(); at > from; --at) {
    if (is_plain_separator(text[at - 1])) return at;
  }
  // Text without a single ASCII space or sign: look for those of its own script.
  std::optional<std::size_t> cut;
  for (std::size_t at = from; at < text.size();) {
    const DecodedPoint point = decode_point(text.substr(at));
    at += point.length;
    const bool inside = is_letter(point.value) || is_digit(point.value) || is_mark(point.value);
    if (point.valid && !inside && point.value != '\'' && point.value != 0x2019) cut = at;
  }
  return cut;
}

struct WordTally {
  std::size_t words = 0;
  void word(const ScannedWord&) { ++words; }
  void document_end() {}
};

/// Where the last `reach` words before `cut` begin, or a little earlier. The text must be padded.
std::size_t overlap_begin(std::string_view text, std::size_t reach) {
  constexpr std::size_t kBytesForWord = 10;
  WordScanner scanner(DocumentEnd::kFile);
  for (std::size_t back = reach * kBytesForWord; back < text.size(); back *= 2) {
    std::size_t begin = text.size() - back;
    while (begin < text.size() && !is_plain_separator(text[begin])) ++begin;
    if (begin == text.size()) continue;
    WordTally tally;
    scanner.scan(text.substr(begin + 1), text, tally);
    if (tally.words >= reach) return begin + 1;
  }
  return 0;
}

bool is_packed(const fs::path& path) {
  std::string start(512, '\0');
  const auto source = open_plain(path);
  start.resize(source->read(start.data(), start.size()));
  return looks_packed(start);
}

}  // namespace

std::vector<TextFile> find_text_files(const std::vector<std::string>& inputs) {
  std::vector<TextFile> files;
  for (const std::string& name : inputs) add_input(name, files);
  return files;
}

std::vector<TextFile> share_of(const std::vector<TextFile>& files, std::size_t part, std::size_t parts) {
  std::uint64_t total = 0;
  for (const TextFile& file : files) {
    std::error_code ignored;
    if (file.path == "-" || !fs::is_regular_file(file.path, ignored)) {
      throw UserError(
          fmt::format("{}: expected a file, since several processes share the text, found what can be read "
                      "only once. Give each process its own input with --inputs own.",
                      file.path == "-" ? "standard input" : file.path));
    }
    total += file.size;
  }
  const auto bound = [&](std::size_t i) { return total / parts * i + total % parts * i / parts; };
  const std::uint64_t begin = bound(part);
  const std::uint64_t end = bound(part + 1);
  std::vector<TextFile> share;
  std::uint64_t at = 0;  // where the file begins among all bytes
  for (const TextFile& file : files) {
    const std::uint64_t file_end = at + file.size;
    const bool begins_here = at >= begin && at < end;
    const bool touched = at < end && file_end > begin;
    const bool whole = begins_here && file_end <= end;
    if (whole || (touched && is_packed(file.path))) {
      if (begins_here) share.push_back(file);
    } else if (touched) {
      share.push_back(file);
      share.back().begin = std::max(begin, at) - at;
      if (file_end > end) share.back().end = end - at;
    }
    at = file_end;
  }
  return share;
}

namespace {

/// A part of a file that isn't packed.
class PartSource final : public ByteSource {
 public:
  explicit PartSource(const TextFile& file) : name_(file.path), stream_(file.path, std::ios::binary) {
    if (!stream_) fail();
    begin_ = file.begin == 0 ? 0 : cut_behind(file.begin, file.size);
    end_ = file.end >= file.size ? TextFile::kWholeFile : cut_behind(file.end, file.size);
    at_ = begin_;
  }

  std::uint64_t begin() const { return begin_; }

  /// The words before the part, at least `reach` of them where there are as many.
  std::string words_before(std::size_t reach) {
    constexpr std::size_t kBytesForWord = 16;
    for (std::uint64_t back = reach * kBytesForWord;; back *= 2) {
      const std::uint64_t from = begin_ - std::min(back, begin_);
      std::string text = bytes(from, begin_ - from);
      const std::size_t size = text.size();
      text.append(TextBlock::kPadding, '\0');
      const std::size_t begin = overlap_begin(std::string_view(text).substr(0, size), reach);
      if (begin > 0 || from == 0) return text.substr(begin, size - begin);
    }
  }

  std::size_t read(char* into, std::size_t size) override {
    const std::string got = bytes(at_, std::min<std::uint64_t>(size, at_ < end_ ? end_ - at_ : 0));
    std::copy(got.begin(), got.end(), into);
    at_ += got.size();
    return got.size();
  }
  const std::string& name() const override { return name_; }
  std::uint64_t raw_size() const override { return end_ - begin_; }
  std::uint64_t raw_position() const override { return at_ - begin_; }

 private:
  [[noreturn]] void fail() const { throw UserError(fmt::format("{}: can't be read.", name_)); }

  std::string bytes(std::uint64_t from, std::uint64_t size) {
    std::string got(size, '\0');
    stream_.clear();
    stream_.seekg(static_cast<std::streamoff>(from));
    stream_.read(got.data(), static_cast<std::streamsize>(size));
    if (stream_.bad()) fail();
    got.resize(static_cast<std::size_t>(stream_.gcount()));
    return got;
  }

  /// Behind the first place at or after `from` - 1 where no word can go on.
  std::uint64_t cut_behind(std::uint64_t from, std::uint64_t size) {
    constexpr std::uint64_t kStep = 4096;
    for (std::uint64_t at = from - 1; at < size; at += kStep) {
      const std::string some = bytes(at, kStep);
      const auto found = std::find_if(some.begin(), some.end(), is_plain_separator);
      if (found != some.end()) return at + static_cast<std::uint64_t>(found - some.begin()) + 1;
    }
    return size;
  }

  std::string name_;
  std::ifstream stream_;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
  std::uint64_t at_ = 0;
};

}  // namespace

/// One file: the file itself, or all files inside a packed one in turn.
class TextBlockReader::Source {
 public:
  Source(const TextFile& file, std::size_t reach) : name_(file.path) {
    if (file.is_part()) {
      auto part = std::make_unique<PartSource>(file);
      before_ = part->words_before(reach);
      begin_ = part->begin();
      plain_ = std::move(part);
      return;
    }
    // A pipe can be read only once, so it isn't asked what it is.
    if (file.size > 0 && is_packed(file.path)) {
      packed_.emplace(file.path);
    } else {
      plain_ = open_plain(file.path);
      name_ = plain_->name();
    }
  }

  /// Goes to the first or next text in the file; false where there is no more.
  bool next_text() {
    if (!packed_) return std::exchange(plain_is_new_, false);
    std::string member;
    if (!packed_->next(member)) return false;
    member_ = std::move(member);
    return true;
  }

  /// Fills as much of `into` as the text has.
  std::size_t read(char* into, std::size_t size) {
    std::size_t filled = 0;
    while (filled < size) {
      const std::size_t got =
          packed_ ? packed_->read(into + filled, size - filled) : plain_->read(into + filled, size - filled);
      if (got == 0) break;
      filled += got;
    }
    return filled;
  }

  /// What stands before a part of a file.
  const std::string& before() const { return before_; }
  std::uint64_t begin() const { return begin_; }

  std::string name() const { return packed_ ? fmt::format("{} ({})", name_, member_) : name_; }

  /// Bytes taken from the disk since the last call.
  std::uint64_t progress() {
    const std::uint64_t position = packed_ ? packed_->raw_position() : plain_->raw_position();
    return position - std::exchange(told_, position);
  }

 private:
  std::string name_;
  std::string member_;
  std::string before_;
  std::uint64_t begin_ = 0;
  std::unique_ptr<ByteSource> plain_;
  bool plain_is_new_ = true;
  std::optional<PackedFiles> packed_;
  std::uint64_t told_ = 0;
};

namespace {

std::uint64_t total_size(const std::vector<TextFile>& files) {
  std::uint64_t total = 0;
  for (const TextFile& file : files) {
    if (file.path == "-") return 0;
    total += std::min(file.end, file.size) - std::min(file.begin, file.size);
  }
  return total;
}

}  // namespace

TextBlockReader::TextBlockReader(std::vector<TextFile> files, const TextOptions& options, std::size_t reach,
                                 std::string what, std::size_t block)
    : files_(std::move(files)),
      options_(options),
      reach_(reach),
      block_(block),
      progress_(std::move(what), "B", total_size(files_)) {
  ensure(reach > 0 && block > 0, "blocks have text and overlap");
}

TextBlockReader::~TextBlockReader() = default;

bool TextBlockReader::open_next() {
  carried_.clear();
  overlap_ = 0;
  offset_ = 0;
  while (true) {
    if (source_ && source_->next_text()) return true;
    if (next_file_ == files_.size()) {
      source_.reset();
      return false;
    }
    source_ = std::make_unique<Source>(files_[next_file_++], reach_);
    carried_.assign(source_->before().begin(), source_->before().end());
    overlap_ = carried_.size();
    offset_ = source_->begin();
  }
}

bool TextBlockReader::next(TextBlock& block, std::uint64_t before) {
  const std::lock_guard lock(mutex_);
  if (failed_ || next_number_ >= before) return false;
  failed_ = true;  // unless it goes well: the other threads have nothing left to do then
  bool found = source_ != nullptr || open_next();
  while (found && !fill(block)) found = open_next();
  if (found) block.number_ = next_number_++;
  failed_ = false;
  return found;
}

/// The next block of the current text; false at its end.
bool TextBlockReader::fill(TextBlock& block) {
  const std::size_t wanted = std::max(block_, carried_.size() - overlap_ + 1);
  block.bytes_.resize(std::max(block.bytes_.size(), overlap_ + wanted + TextBlock::kPadding));
  std::copy(carried_.begin(), carried_.end(), block.bytes_.begin());
  const std::size_t room = overlap_ + wanted - carried_.size();
  const std::size_t got = source_->read(block.bytes_.data() + carried_.size(), room);
  progress_.add(source_->progress());
  const std::size_t filled = carried_.size() + got;
  if (filled == overlap_) return false;
  std::memset(block.bytes_.data() + filled, 0, TextBlock::kPadding);
  block.overlap_ = overlap_;
  block.size_ = filled;
  if (got == room) {
    const auto cut = last_cut({block.bytes_.data(), filled}, overlap_);
    if (!cut) {
      throw UserError(Complaint{source_->name(), 0, "words", fmt::format("{} bytes without an end of a word", wanted),
                                "Is it text?"});
    }
    block.size_ = *cut;
  }
  check(block);
  offset_ += block.own().size();
  carry(block, filled);
  return true;
}

void TextBlockReader::check(const TextBlock& block) const {
  const std::string_view own = block.own();
  if (const std::size_t at = own.find('\0'); at != std::string_view::npos) {
    throw UserError(Complaint{source_->name(), 0, "text in UTF-8",
                              fmt::format("a NUL byte at offset {}: a binary file, or UTF-16", offset_ + at),
                              "Leave it out or convert it"});
  }
  if (options_.invalid == InvalidText::kSeparate) return;
  if (const auto at = find_invalid_utf8(own)) {
    throw UserError(Complaint{source_->name(), 0, "text in UTF-8",
                              fmt::format("other bytes at offset {}", offset_ + *at),
                              "Convert it, or let --invalid separate pass over them"});
  }
}

/// Keeps what the next block begins with.
void TextBlockReader::carry(const TextBlock& block, std::size_t filled) {
  const std::size_t begin = overlap_begin(block.text(), reach_);
  carried_.assign(block.bytes_.begin() + static_cast<std::ptrdiff_t>(begin),
                  block.bytes_.begin() + static_cast<std::ptrdiff_t>(filled));
  overlap_ = block.size_ - begin;
}

}  // namespace gumption
