#pragma once

// A count index as a file, from rows that were merged already.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gumption/base/files.h"
#include "gumption/corpus/index_format.h"
#include "gumption/corpus/vocabulary_pass.h"

namespace gumption {

/// What the index says about itself.
struct IndexDescription {
  std::vector<std::uint64_t> windows;
  WordOptions words;
  std::uint64_t min_pair_count = 1;
  TextTotals totals;
  std::string manifest;
};

/// Where merged rows stand.
struct MergedRowTable {
  std::vector<IndexRow> rows;  // for each word; begins from the first row's
  std::uint64_t bytes = 0;     // of all rows
  std::uint64_t pairs = 0;

  /// Adds rows of later words that stand right behind these.
  void append(const MergedRowTable& behind);
};

/// Writes the parts of an index in their order.
class IndexFileWriter {
 public:
  /// Doesn't commit `out`, which must outlive this.
  explicit IndexFileWriter(AtomicFile& out);

  void add_rows(std::string_view bytes);

  /// All that stands behind the rows. `table` must describe what add_rows() was given.
  void finish(MergedRowTable table, const std::vector<CountedWord>& words, const IndexDescription& description);

 private:
  void write(std::string_view bytes);
  void write_words(const std::vector<CountedWord>& words, IndexFoot& foot);

  template <class Part>
  std::uint64_t write_all(const std::vector<Part>& parts) {
    const std::uint64_t begin = position_;
    write({reinterpret_cast<const char*>(parts.data()), parts.size() * sizeof(Part)});
    return begin;
  }

  AtomicFile& out_;
  std::uint64_t position_ = 0;
  IndexSum sum_;
};

}  // namespace gumption
