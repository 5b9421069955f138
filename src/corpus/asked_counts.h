#pragma once

// Counting only the pairs that somebody asks for: the text streams by once, and memory grows with the pairs.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gumption/cluster/process_group.h"
#include "gumption/corpus/pair_counts.h"
#include "gumption/corpus/pair_table.h"
#include "gumption/corpus/text_blocks.h"
#include "gumption/corpus/word_forms.h"
#include "gumption/corpus/word_table.h"

namespace gumption {

struct CountOptions {
  std::vector<std::uint64_t> windows = {5, 25, 50};  // ascending
  TextOptions text;
  WordOptions words;
  std::size_t threads = 0;                      // 0: one for each core; the counts don't depend on it
  std::size_t block = TextBlockReader::kBlock;  // bytes counted at a time; the counts don't depend on it
};

/// The words and pairs to count. Words are numbered in the order in which they are met.
class AskedPairs {
 public:
  /// Pairs of lower-cased, non-empty words, in any order, repeated or not. Throws as WordFormer does.
  AskedPairs(std::span<const WordPair> pairs, const WordOptions& options);

  struct Role {
    bool first = false;   // of some pair
    bool second = false;  // of some pair
  };

  const WordOptions& options() const { return options_; }
  /// Numbers of forms, and of the words as they were asked for.
  const WordTable& forms() const { return forms_; }
  const WordTable& written() const { return written_; }
  const PairTable& pairs() const { return pairs_; }
  const std::vector<Role>& roles() const { return roles_; }

 private:
  std::uint32_t number_of(const std::string& word, WordFormer& former);

  WordOptions options_;
  WordTable forms_;
  WordTable written_;
  PairTable pairs_;
  std::vector<Role> roles_;
};

/// The counts of asked-for pairs. What was not asked for counts as 0.
class AskedCounts final : public PairCounts {
 public:
  /// Nothing counted yet. `windows` must ascend.
  AskedCounts(std::shared_ptr<const AskedPairs> asked, std::vector<std::uint64_t> windows);

  /// Adds what was counted over another part of the text. Both must have the same asked pairs and windows.
  void add(const AskedCounts& other);

  /// Adds what all processes of a group counted, each over its part; all have the sums then.
  void add_up(ProcessGroup& group);

  const std::vector<std::uint64_t>& windows() const override { return windows_; }
  const TextTotals& totals() const override { return totals_; }
  std::uint64_t count_of(std::string_view word) const override;
  std::vector<std::uint64_t> count_of(std::string_view first, std::string_view second) const override;

 private:
  friend class AskedCounter;
  std::uint32_t number_of(std::string_view word) const;

  std::shared_ptr<const AskedPairs> asked_;
  std::vector<std::uint64_t> windows_;
  TextTotals totals_;
  std::vector<std::uint64_t> words_;  // by number
  std::vector<std::uint64_t> pairs_;  // by place and bucket: at distances over the next smaller window
};

/// Counts over all files in one pass. UserError as TextBlockReader.
std::unique_ptr<AskedCounts> count_asked(const std::vector<TextFile>& files, std::span<const WordPair> pairs,
                                         const CountOptions& options);

/// The same by several processes that all see the same files: each reads its share, and all get all counts.
std::unique_ptr<AskedCounts> count_asked(const std::vector<TextFile>& files, std::span<const WordPair> pairs,
                                         const CountOptions& options, ProcessGroup& group);

}  // namespace gumption
