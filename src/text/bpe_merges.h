#pragma once

// The merging of byte-pair encoding, shared by GPT-1's and GPT-2's tokenizers.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gumption/text/vocabulary.h"

namespace gumption {

/// A token inside a word, while it is being merged.
struct BpeSymbol {
  TokenId id = 0;
  std::size_t length = 0;  // bytes of the word that it stands for
};

/// Two tokens, as written in a file of merges, and the line.
struct MergeRule {
  std::string left;
  std::string right;
  std::size_t line = 0;
};

/// Which pairs of tokens merge into which, and in what order. Immutable, so thread-safe.
class BpeMerges {
 public:
  struct Merge {
    std::uint32_t rank = 0;  // lower ones go first
    TokenId result = 0;
  };

  /// Rank is the place in `rules`. UserError, naming `file`, where a part or the result is not in the vocabulary, and
  /// for a pair that stands twice.
  BpeMerges(const std::vector<MergeRule>& rules, const Vocabulary& vocabulary, const std::string& file);

  /// nullptr where the two don't merge.
  const Merge* find(TokenId left, TokenId right) const {
    const std::uint64_t key = key_of(left, right);
    for (std::size_t at = slot_of(key);; at = (at + 1) & mask_) {
      if (slots_[at].key == key) return &slots_[at].merge;
      if (slots_[at].key == kFree) return nullptr;
    }
  }

  /// Working memory of apply().
  struct Scratch {
    struct Link {
      BpeSymbol symbol;
      std::size_t previous = 0;
      std::size_t next = 0;
    };
    struct Candidate {
      std::uint32_t rank = 0;
      std::size_t place = 0;
      TokenId left = 0;
      TokenId right = 0;
      bool operator>(const Candidate& other) const {
        return rank != other.rank ? rank > other.rank : place > other.place;
      }
    };
    std::vector<const Merge*> merges;
    std::vector<Link> links;
    std::vector<Candidate> heap;
  };

  /// Merges until nothing merges: always the pair of lowest rank, the leftmost of equals.
  void apply(std::vector<BpeSymbol>& symbols, Scratch& scratch) const;

  /// As apply(), written for plainness; time is quadratic in the length.
  void apply_plainly(std::vector<BpeSymbol>& symbols) const;

 private:
  struct Slot {
    std::uint64_t key = kFree;
    Merge merge;
  };
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};

  static std::uint64_t key_of(TokenId left, TokenId right) {
    return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32) | static_cast<std::uint32_t>(right);
  }
  std::size_t slot_of(std::uint64_t key) const {
    const std::uint64_t mixed = key * 0x9E3779B97F4A7C15ULL;
    return static_cast<std::size_t>(mixed ^ (mixed >> 32)) & mask_;
  }

  void insert(std::uint64_t key, Merge merge);
  void apply_to_few(std::vector<BpeSymbol>& symbols, Scratch& scratch) const;
  void apply_to_many(std::vector<BpeSymbol>& symbols, Scratch& scratch) const;

  std::size_t mask_ = 0;
  std::vector<Slot> slots_;
};

}  // namespace gumption
