#include "gumption/data/table_reader.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gumption/base/error.h"

namespace gumption {

TableReader::TableReader(std::unique_ptr<ByteSource> source, TableOptions options)
    : lines_(std::move(source)), options_(options) {
  if (options_.has_header && !next(header_)) {
    throw UserError(Complaint{name(), 1, "a header line", "an empty file", ""});
  }
}

bool TableReader::next(std::vector<std::string>& fields) {
  std::string_view line;
  do {
    if (!lines_.next(line)) return false;
  } while (line.empty());
  record_line_ = lines_.line_number();

  std::size_t count = 0;  // fields so far; their strings are reused
  const auto begin_field = [&]() -> std::string& {
    if (fields.size() <= count) fields.emplace_back();
    fields[count].clear();
    return fields[count++];
  };
  std::size_t at = 0;
  bool bad_quote = false;
  while (true) {
    std::string& field = begin_field();
    if (at < line.size() && line[at] == '"') {
      ++at;
      while (true) {
        const std::size_t quote = line.find('"', at);
        field += line.substr(at, quote - at);
        if (quote == std::string_view::npos) {
          field += '\n';
          if (lines_.line_number() - record_line_ >= options_.longest_record_lines || !lines_.next(line)) {
            throw UserError(Complaint{name(), record_line_, "a closing quote", "none up to the end",
                                      "Write a quote inside a quoted field twice"});
          }
          at = 0;
          continue;
        }
        at = quote + 1;
        if (at >= line.size() || line[at] != '"') break;
        field += '"';
        ++at;
      }
      if (at < line.size() && line[at] != options_.separator) bad_quote = true;
    }
    const std::size_t end = std::min(line.find(options_.separator, at), line.size());
    field += line.substr(at, end - at);
    if (end == line.size()) break;
    at = end + 1;
  }
  fields.resize(count);
  if (bad_quote) {
    throw BadRow({name(), record_line_, "a separator behind a closing quote", "more text",
                  "Write a quote inside a quoted field twice"});
  }
  return true;
}

bool TableReader::has_column(std::string_view name) const {
  return std::find(header_.begin(), header_.end(), name) != header_.end();
}

std::size_t TableReader::column(std::string_view name) const {
  const auto found = std::find(header_.begin(), header_.end(), name);
  if (found == header_.end()) {
    throw UserError(
        Complaint{this->name(), 1, fmt::format("a column {}", in_quotes(name)),
                  fmt::format("the columns {}", in_quotes(fmt::format("{}", fmt::join(header_, ", ")), 200)), ""});
  }
  return static_cast<std::size_t>(found - header_.begin());
}

void append_record(std::string& to, const std::vector<std::string>& fields, char separator) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) to += separator;
    const std::string& field = fields[i];
    // An empty single field would be an empty line, and a byte-order mark at the start of a file would vanish.
    const bool needs_quotes = field.find_first_of("\"\r\n") != std::string::npos ||
                              field.find(separator) != std::string::npos || (fields.size() == 1 && field.empty()) ||
                              field.starts_with("\xEF\xBB\xBF");
    if (!needs_quotes) {
      to += field;
      continue;
    }
    to += '"';
    for (const char c : field) {
      if (c == '"') to += '"';
      to += c;
    }
    to += '"';
  }
  to += '\n';
}

}  // namespace gumption
