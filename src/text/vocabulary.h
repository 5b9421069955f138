#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gumption {

using TokenId = std::int32_t;

/// One entry of a vocabulary file, with the line it stood on (0: not known).
struct VocabularyEntry {
  std::string token;
  std::int64_t id = 0;
  std::size_t line = 0;
};

/// Tokens and their ids, each the other's only one. Ids may have gaps. Thread-safe for reading.
class Vocabulary {
 public:
  /// Larger ids are refused: a table by id would not fit.
  static constexpr std::int64_t kLargestId = (std::int64_t{1} << 24) - 1;

  Vocabulary() = default;
  Vocabulary(Vocabulary&&) = default;
  Vocabulary& operator=(Vocabulary&&) = default;
  Vocabulary(const Vocabulary&) = delete;
  Vocabulary& operator=(const Vocabulary&) = delete;

  /// UserError, naming `file`, for an id or token that stands twice and for ids out of range.
  Vocabulary(const std::vector<VocabularyEntry>& entries, const std::string& file);

  /// Adds a token with an id that is free, or the id that it has already; returns the id.
  TokenId add(const VocabularyEntry& entry, const std::string& file);

  std::optional<TokenId> id_of(std::string_view token) const;

  /// Empty for an id that isn't used.
  std::string_view token_of(TokenId id) const;
  bool has(TokenId id) const;

  /// Number of tokens.
  std::size_t size() const { return ids_.size(); }

  /// One more than the largest id: the rows that a model's embedding needs.
  std::size_t id_limit() const { return tokens_.size(); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };

  std::unordered_map<std::string, TokenId, Hash, std::equal_to<>> ids_;
  std::vector<const std::string*> tokens_;  // keys of ids_, which never move
};

}  // namespace gumption
