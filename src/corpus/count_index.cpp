#include "gumption/corpus/count_index.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "gumption/base/error.h"
#include "gumption/base/random.h"
#include "gumption/text/stop_words.h"

namespace gumption {

bool looks_like_count_index(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  std::string start(kIndexMagic.size(), '\0');
  try {
    const auto source = open_plain(path);
    return source->read(start.data(), start.size()) == start.size() && start == kIndexMagic;
  } catch (const UserError&) {
    return false;
  }
}

CountIndex::CountIndex(const std::filesystem::path& path) : name_(path.string()), file_(path), bytes_(file_->bytes()) {
  check();
}

CountIndex::CountIndex(std::string_view bytes, std::string name) : name_(std::move(name)), bytes_(bytes) { check(); }

void CountIndex::fail(const std::string& found) const {
  throw UserError(Complaint{name_, 0, "a count index of gumption", found, "Build it with `gumption corpus build`"});
}

void CountIndex::check() {
  if (!bytes_.starts_with(kIndexMagic)) fail("another kind of file");
  if (bytes_.size() < sizeof(IndexHead)) fail("a truncated one");
  const auto head = part_at<IndexHead>(0);
  if (head.version != kIndexVersion) {
    fail(fmt::format("one of version {}, where this program knows version {}", head.version, kIndexVersion));
  }
  if (bytes_.size() < sizeof(IndexHead) + sizeof(IndexFoot)) fail("a truncated one");
  foot_ = part_at<IndexFoot>(bytes_.size() - sizeof(IndexFoot));
  if (foot_.foot_sum != foot_sum(foot_) || foot_.size != bytes_.size()) fail("a truncated or damaged one");
  check_layout();
  const std::uint64_t tables_end = bytes_.size() - sizeof(IndexFoot);
  if (foot_.tables_sum != IndexSum::of(bytes_.substr(foot_.row_table, tables_end - foot_.row_table))) {
    fail("one with damaged tables");
  }
  windows_.assign(foot_.windows.begin(), foot_.windows.begin() + static_cast<std::ptrdiff_t>(foot_.windows_used));
  totals_ = {foot_.total_words, foot_.documents, foot_.bytes};
}

/// Whether the parts lie in their order and are as long as they have to be, so that no lookup leaves the file.
void CountIndex::check_layout() const {
  const IndexFoot& foot = foot_;
  const std::uint64_t end = bytes_.size() - sizeof(IndexFoot);
  const auto holds = [](std::uint64_t begin, std::uint64_t next, std::uint64_t count, std::uint64_t size) {
    return begin <= next && count == (next - begin) / size && (next - begin) % size == 0;
  };
  const bool fits =
      foot.windows_used >= 1 && foot.windows_used <= kMostWindows && foot.form <= 2 &&
      foot.row_table >= sizeof(IndexHead) && holds(foot.row_table, foot.word_counts, foot.words, sizeof(IndexRow)) &&
      holds(foot.word_counts, foot.word_ends, foot.words, sizeof(std::uint64_t)) &&
      holds(foot.word_ends, foot.letters, foot.words, sizeof(std::uint64_t)) && foot.letters <= foot.hash_slots &&
      holds(foot.hash_slots, foot.manifest, foot.slots_used, sizeof(std::uint32_t)) && foot.manifest <= end &&
      std::has_single_bit(foot.slots_used) && foot.slots_used > foot.words;
  if (!fits) fail("one whose parts don't fit together");
}

WordOptions CountIndex::word_options() const {
  return {static_cast<WordForm>(foot_.form), foot_.drops_stop_words != 0, foot_.min_count};
}

std::string_view CountIndex::manifest() const {
  return bytes_.substr(foot_.manifest, bytes_.size() - sizeof(IndexFoot) - foot_.manifest);
}

std::string_view CountIndex::word(std::uint32_t number) const {
  const std::uint64_t at = foot_.word_ends + std::uint64_t{number} * sizeof(std::uint64_t);
  const std::uint64_t begin = number == 0 ? 0 : part_at<std::uint64_t>(at - sizeof(std::uint64_t));
  const auto end = part_at<std::uint64_t>(at);
  if (begin > end || end > foot_.hash_slots - foot_.letters) fail("one with damaged words");
  return bytes_.substr(foot_.letters + begin, end - begin);
}

std::optional<std::uint32_t> CountIndex::number_of(std::string_view written) const {
  if (written.empty() || (foot_.drops_stop_words != 0 && is_stop_word(written))) return std::nullopt;
  std::string form;
  std::string_view wanted = written;
  if (foot_.form != 0) wanted = form = WordFormer(static_cast<WordForm>(foot_.form)).form_of(written);
  const std::uint64_t mask = foot_.slots_used - 1;
  std::uint64_t at = stable_hash(wanted) & mask;
  for (std::uint64_t tried = 0; tried <= mask; ++tried, at = (at + 1) & mask) {
    const auto slot = part_at<std::uint32_t>(foot_.hash_slots + at * sizeof(std::uint32_t));
    if (slot == 0) return std::nullopt;
    if (slot > foot_.words) fail("one with damaged words");
    if (word(slot - 1) == wanted) return slot - 1;
  }
  return std::nullopt;
}

std::uint64_t CountIndex::count_of(std::string_view written) const {
  const auto number = number_of(written);
  if (!number) return 0;
  return part_at<std::uint64_t>(foot_.word_counts + std::uint64_t{*number} * sizeof(std::uint64_t));
}

std::vector<std::uint64_t> CountIndex::count_of(std::string_view first, std::string_view second) const {
  std::vector<std::uint64_t> counts(windows_.size());
  const auto x = number_of(first);
  const auto y = number_of(second);
  if (x && y) find(*x, *y, counts.data());
  return counts;
}

bool CountIndex::find(std::uint32_t first, std::uint32_t second, std::uint64_t* counts) const {
  const auto row = part_at<IndexRow>(foot_.row_table + std::uint64_t{second} * sizeof(IndexRow));
  if (row.pairs == 0) return false;
  const std::uint64_t blocks = (row.pairs - 1) / kBlockPairs + 1;
  if (row.begin > foot_.row_table || blocks > (foot_.row_table - row.begin) / sizeof(IndexBlock)) fail("damaged rows");
  const auto block_at = [&](std::uint64_t i) { return part_at<IndexBlock>(row.begin + i * sizeof(IndexBlock)); };
  std::uint64_t low = 0;  // the last block that may hold it: its first word isn't behind `first`
  for (std::uint64_t left = blocks; left > 1;) {
    const std::uint64_t half = left / 2;
    if (block_at(low + half).first_x <= first) low += half;
    left -= half;
  }
  const IndexBlock block = block_at(low);
  const char* at = bytes_.data() + std::min(row.begin + blocks * sizeof(IndexBlock) + block.begin, foot_.row_table);
  const char* const end = bytes_.data() + foot_.row_table;
  std::uint64_t x = block.first_x;
  const std::uint64_t pairs = std::min<std::uint64_t>(kBlockPairs, row.pairs - low * kBlockPairs);
  for (std::uint64_t i = 0; i < pairs; ++i) {
    x += read_varint(at, end);
    std::uint64_t sum = 0;
    for (std::size_t w = 0; w < windows_.size(); ++w) counts[w] = sum += read_varint(at, end);
    if (x == first) return true;
    if (x > first) break;
  }
  std::fill_n(counts, windows_.size(), 0);
  return false;
}

void CountIndex::check_rows() const {
  if (foot_.rows_sum != IndexSum::of(bytes_.substr(sizeof(IndexHead), foot_.row_table - sizeof(IndexHead)))) {
    fail("one with damaged rows");
  }
}

}  // namespace gumption
