#pragma once

// Text of any size in blocks that can be counted apart: files, folders, archives, compressed streams, standard input.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "gumption/base/progress.h"
#include "gumption/corpus/text_options.h"

namespace gumption {

/// A file to read, packed or not; "-" is standard input.
struct TextFile {
  std::string path;
  std::uint64_t size = 0;       // on disk; 0 where that isn't known
  std::int64_t changed_ns = 0;  // when it was last written, in the file system's clock

  /// A part of it: all words from the first separator behind `begin` to the first behind `end`, so that the parts of a
  /// file that is cut anywhere hold each of its words once. Only for files that aren't packed.
  std::uint64_t begin = 0;
  std::uint64_t end = kWholeFile;
  static constexpr std::uint64_t kWholeFile = ~std::uint64_t{0};

  bool is_part() const { return begin > 0 || end != kWholeFile; }

  bool operator==(const TextFile&) const = default;
};

/// The files that `inputs` name, in a stable order: files as given, a folder's files (all below it, without hidden
/// ones) and a pattern's matches ("books/*.txt") sorted by name. UserError for what isn't there and for empty folders.
std::vector<TextFile> find_text_files(const std::vector<std::string>& inputs);

/// The files and parts of files that process `part` of `parts` reads when all see the same files: about as many bytes
/// each, in order, packed files undivided. UserError where something can't be read by several, such as a pipe.
std::vector<TextFile> share_of(const std::vector<TextFile>& files, std::size_t part, std::size_t parts);

/// A stretch of one file, cut between words. It begins with an overlap: the words before it in the same file, as many
/// as a window may reach back, which belong to earlier blocks and are there only to be looked back at.
class TextBlock {
 public:
  /// That many bytes behind text() may be read; they are 0 at the end of a file.
  static constexpr std::size_t kPadding = 16;

  /// Overlap and own text.
  std::string_view text() const { return {bytes_.data(), size_}; }
  std::string_view overlap() const { return text().substr(0, overlap_); }
  std::string_view own() const { return text().substr(overlap_); }

  /// Counts from 0 over all files; the same for the same files, whoever reads the block.
  std::uint64_t number() const { return number_; }

 private:
  friend class TextBlockReader;
  std::vector<char> bytes_;
  std::size_t size_ = 0;
  std::size_t overlap_ = 0;
  std::uint64_t number_ = 0;
};

/// Gives the blocks of all files in order, to any number of threads, in memory that doesn't depend on the text's size.
/// Refused with a UserError that names the file: a NUL byte (a binary file, or UTF-16), a packed file that is broken, a
/// whole block without an end of a word, and invalid UTF-8 where the options say so.
class TextBlockReader {
 public:
  static constexpr std::size_t kBlock = std::size_t{1} << 20;

  /// `reach`: words of overlap, at least 1. `block`: bytes of a block's own text, roughly. `what` is shown as progress.
  TextBlockReader(std::vector<TextFile> files, const TextOptions& options, std::size_t reach, std::string what,
                  std::size_t block = kBlock);
  ~TextBlockReader();

  /// The next block, into `block`, whose memory is used again; false at the end, and where the next block's number is
  /// `before` or more. Thread-safe.
  bool next(TextBlock& block, std::uint64_t before = ~std::uint64_t{0});

 private:
  class Source;

  bool open_next();
  bool fill(TextBlock& block);
  void check(const TextBlock& block) const;
  void carry(const TextBlock& block, std::size_t filled);

  std::vector<TextFile> files_;
  TextOptions options_;
  std::size_t reach_;
  std::size_t block_;
  std::mutex mutex_;
  std::unique_ptr<Source> source_;  // the file that is being read, if any
  std::size_t next_file_ = 0;
  std::vector<char> carried_;  // the next block's overlap, and what was read behind the last cut
  std::size_t overlap_ = 0;    // how much of carried_ is overlap
  std::uint64_t offset_ = 0;   // of the next block's own text in its file, for messages
  std::uint64_t next_number_ = 0;
  bool failed_ = false;
  Progress progress_;
};

}  // namespace gumption
