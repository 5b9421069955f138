#pragma once

// Text as numbers of its words, and how the first pass of building a count index keeps it for the second.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "gumption/corpus/word_table.h"

namespace gumption {

/// Stands among the words' numbers where a document ends.
constexpr std::uint32_t kDocumentEnd = 0xFFFFFFFF;

/// A text block's words as numbers.
struct NumberedBlock {
  std::uint64_t number = 0;           // of the block
  std::vector<std::uint32_t> tokens;  // those of its overlap, then its own
  std::size_t own_begin = 0;
  std::size_t numbering = 0;  // whose numbers they are, where several number on their own
};

/// All blocks of a text, so that it needn't be read and cut into words twice. Words are numbered as each thread meets
/// them. Where the blocks would take too much memory, none are kept: most of a larger text has to be read again anyway.
class KeptText {
 public:
  /// `reach`: words of overlap that the blocks need.
  KeptText(std::size_t reach, std::uint64_t most_bytes) : reach_(reach), most_bytes_(most_bytes) {}

  std::size_t reach() const { return reach_; }

  /// False from when it is clear that the text takes too much memory. Thread-safe.
  bool goes_on() const { return goes_on_.load(std::memory_order_relaxed); }

  /// Copies a block. Thread-safe.
  void add(const NumberedBlock& block);

  /// Says that all blocks were added and what the numbers of each numbering mean.
  void finish(std::vector<std::vector<std::string>> spellings);

  /// Whether the whole text is here.
  bool is_whole() const { return finished_ && goes_on(); }

  std::size_t blocks() const { return blocks_.size(); }

  /// For each numbering and each of its words the number in `numbers`, or `absent`.
  std::vector<std::vector<std::uint32_t>> renumbering(const WordTable& numbers, std::uint32_t absent) const;

  /// Hands out the blocks before number `end`, in order, that weren't handed out yet.
  std::vector<NumberedBlock> take_before(std::uint64_t end);

 private:
  std::size_t reach_;
  std::uint64_t most_bytes_;
  std::mutex mutex_;
  std::uint64_t bytes_ = 0;
  std::atomic<bool> goes_on_{true};
  bool finished_ = false;
  std::vector<NumberedBlock> blocks_;
  std::size_t taken_ = 0;  // blocks handed out
  std::vector<std::vector<std::string>> spellings_;
};

}  // namespace gumption
