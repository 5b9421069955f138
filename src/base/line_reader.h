#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gumption/base/files.h"

namespace gumption {

/// Splits a source into lines, in memory bounded by the longest line. A byte-order mark at the start and a CR before
/// each LF are dropped. UTF-16 and lines over the limit are refused with a UserError. Not thread-safe.
class LineReader {
 public:
  /// That many bytes behind every line may be read (not used): fast parsers want that.
  static constexpr std::size_t kPadding = 64;

  explicit LineReader(std::unique_ptr<ByteSource> source, std::size_t longest_line = std::size_t{1} << 28);

  /// The next line, without its end, into `line`; it stays valid until the next call. False at the end of the source.
  bool next(std::string_view& line);

  /// Number of the line that next() gave last, from 1.
  std::size_t line_number() const { return line_number_; }

  const ByteSource& source() const { return *source_; }

 private:
  bool refill();

  std::unique_ptr<ByteSource> source_;
  std::size_t longest_line_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;    // of the line to come
  std::size_t end_ = 0;      // of the bytes in the buffer
  std::size_t scanned_ = 0;  // no line end stands before this
  std::size_t line_number_ = 0;
  bool at_end_ = false;
};

}  // namespace gumption
