#include "gumption/corpus/index_file_writer.h"

#include <algorithm>
#include <bit>

#include "gumption/base/error.h"
#include "gumption/base/random.h"

namespace gumption {

namespace {

std::vector<std::uint32_t> hash_slots_of(const std::vector<CountedWord>& words) {
  std::vector<std::uint32_t> slots(std::bit_ceil(words.size() * 2 + 1));
  const std::size_t mask = slots.size() - 1;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::size_t at = stable_hash(words[i].word) & mask;
    while (slots[at] != 0) at = (at + 1) & mask;
    slots[at] = static_cast<std::uint32_t>(i + 1);
  }
  return slots;
}

void describe_in(const IndexDescription& description, IndexFoot& foot) {
  ensure(description.windows.size() <= kMostWindows, "an index has few windows");
  foot.total_words = description.totals.words;
  foot.documents = description.totals.documents;
  foot.bytes = description.totals.bytes;
  foot.min_count = description.words.min_count;
  foot.min_pair_count = description.min_pair_count;
  foot.form = static_cast<std::uint32_t>(description.words.form);
  foot.drops_stop_words = description.words.drop_stop_words ? 1 : 0;
  foot.windows_used = description.windows.size();
  std::copy(description.windows.begin(), description.windows.end(), foot.windows.begin());
}

}  // namespace

IndexFileWriter::IndexFileWriter(AtomicFile& out) : out_(out) {
  IndexHead head;
  std::copy(kIndexMagic.begin(), kIndexMagic.end(), head.magic.begin());
  write(bytes_of(head));
  sum_ = IndexSum();
}

void IndexFileWriter::add_rows(std::string_view bytes) { write(bytes); }

void IndexFileWriter::write(std::string_view bytes) {
  out_.write(bytes);
  sum_.add(bytes);
  position_ += bytes.size();
}

void IndexFileWriter::write_words(const std::vector<CountedWord>& words, IndexFoot& foot) {
  std::vector<std::uint64_t> counts;
  std::vector<std::uint64_t> ends;
  std::string letters;
  for (const auto& [word, count] : words) {
    counts.push_back(count);
    letters += word;
    ends.push_back(letters.size());
  }
  foot.words = words.size();
  foot.word_counts = write_all(counts);
  foot.word_ends = write_all(ends);
  foot.letters = position_;
  write(letters);
  const auto slots = hash_slots_of(words);
  foot.slots_used = slots.size();
  foot.hash_slots = write_all(slots);
}

void IndexFileWriter::finish(MergedRowTable table, const std::vector<CountedWord>& words,
                             const IndexDescription& description) {
  ensure(table.bytes + sizeof(IndexHead) == position_, "the table describes the rows that were written");
  for (IndexRow& row : table.rows) {
    if (row.pairs > 0) row.begin += sizeof(IndexHead);
  }
  IndexFoot foot;
  describe_in(description, foot);
  foot.pairs = table.pairs;
  foot.rows_sum = sum_.value();
  sum_ = IndexSum();
  foot.row_table = write_all(table.rows);
  write_words(words, foot);
  foot.manifest = position_;
  write(description.manifest);
  foot.tables_sum = sum_.value();
  foot.size = position_ + sizeof(foot);
  foot.foot_sum = foot_sum(foot);
  write(bytes_of(foot));
}

}  // namespace gumption
