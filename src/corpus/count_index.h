#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gumption/base/files.h"
#include "gumption/corpus/index_format.h"
#include "gumption/corpus/pair_counts.h"
#include "gumption/corpus/word_forms.h"

namespace gumption {

/// Whether the file begins as a count index does. False where it can't be read.
bool looks_like_count_index(const std::filesystem::path& path);

/// All pairs of a text, mapped from a file that build_count_index() wrote. Thread-safe.
class CountIndex final : public PairCounts {
 public:
  /// UserError for a file that isn't a count index, comes from a newer version, is truncated or damaged. The rows
  /// are too large to be summed at each start: check_rows() does.
  explicit CountIndex(const std::filesystem::path& path);

  /// The same over bytes in memory, which must outlive the index; `name` is for messages.
  CountIndex(std::string_view bytes, std::string name);

  const std::vector<std::uint64_t>& windows() const override { return windows_; }
  const TextTotals& totals() const override { return totals_; }
  std::uint64_t count_of(std::string_view word) const override;
  std::vector<std::uint64_t> count_of(std::string_view first, std::string_view second) const override;

  /// A word's number by how common it is, from 0; nothing where it isn't counted.
  std::optional<std::uint32_t> number_of(std::string_view word) const;

  /// Counts of a pair of numbers into `counts`, one for each window; false where it isn't in the index. Numbers must
  /// be below word_count().
  bool find(std::uint32_t first, std::uint32_t second, std::uint64_t* counts) const;

  std::uint64_t word_count() const { return foot_.words; }
  std::uint64_t pair_count() const { return foot_.pairs; }
  std::uint64_t min_pair_count() const { return foot_.min_pair_count; }
  WordOptions word_options() const;
  std::string_view word(std::uint32_t number) const;
  std::string_view manifest() const;  // JSON
  std::uint64_t file_size() const { return bytes_.size(); }

  /// Sums all rows. UserError where they are damaged.
  void check_rows() const;

 private:
  void check();
  void check_layout() const;
  [[noreturn]] void fail(const std::string& found) const;

  template <class Part>
  Part part_at(std::uint64_t position) const {
    Part part;
    std::memcpy(&part, bytes_.data() + position, sizeof(Part));
    return part;
  }

  std::string name_;
  std::optional<MappedFile> file_;
  std::string_view bytes_;
  IndexFoot foot_;
  std::vector<std::uint64_t> windows_;
  TextTotals totals_;
};

}  // namespace gumption
