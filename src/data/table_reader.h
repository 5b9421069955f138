#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gumption/base/line_reader.h"

namespace gumption {

struct TableOptions {
  char separator = ',';
  bool has_header = true;
  std::size_t longest_record_lines = 10'000;  // an unclosed quote shouldn't swallow a whole file before it is said
};

/// Reads comma- or tab-separated records (RFC 4180: quotes around a field, doubled inside it, line ends inside quotes).
/// Not thread-safe.
class TableReader {
 public:
  TableReader(std::unique_ptr<ByteSource> source, TableOptions options);

  /// The next record; false at the end. Empty lines are skipped. BadRow when a quote is followed by anything but a
  /// separator; UserError when one is never closed.
  bool next(std::vector<std::string>& fields);

  /// First line of the record that next() gave last.
  std::size_t line_number() const { return record_line_; }

  const std::vector<std::string>& header() const { return header_; }

  /// Index of a header's column; UserError, with the columns there are, when there is none.
  std::size_t column(std::string_view name) const;
  bool has_column(std::string_view name) const;

  const ByteSource& source() const { return lines_.source(); }
  const std::string& name() const { return lines_.source().name(); }

 private:
  LineReader lines_;
  TableOptions options_;
  std::size_t record_line_ = 0;
  std::vector<std::string> header_;
};

/// Appends a record in the same form; a field is quoted only where it must be.
void append_record(std::string& to, const std::vector<std::string>& fields, char separator);

}  // namespace gumption
