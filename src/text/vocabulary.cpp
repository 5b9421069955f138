#include "gumption/text/vocabulary.h"

#include <fmt/format.h>

#include "gumption/base/error.h"

namespace gumption {

Vocabulary::Vocabulary(const std::vector<VocabularyEntry>& entries, const std::string& file) {
  ids_.reserve(entries.size());
  tokens_.reserve(entries.size());
  for (const VocabularyEntry& entry : entries) {
    if (id_of(entry.token)) {
      throw UserError(Complaint{file, entry.line, "each token once", in_quotes(entry.token) + " a second time",
                                "Remove one of the two"});
    }
    add(entry, file);
  }
}

TokenId Vocabulary::add(const VocabularyEntry& entry, const std::string& file) {
  if (entry.id < 0 || entry.id > kLargestId) {
    throw UserError(Complaint{file, entry.line, fmt::format("ids from 0 to {}", kLargestId),
                              fmt::format("{} for {}", entry.id, in_quotes(entry.token)), "Is this a vocabulary?"});
  }
  const auto id = static_cast<TokenId>(entry.id);
  if (const auto known = id_of(entry.token)) {
    if (*known == id) return id;
    throw UserError(Complaint{file, entry.line, fmt::format("id {} for {}", *known, in_quotes(entry.token)),
                              std::to_string(id), "Give each token one id"});
  }
  if (has(id)) {
    throw UserError(
        Complaint{file, entry.line, "each id once",
                  fmt::format("id {} for {} and for {}", id, in_quotes(token_of(id)), in_quotes(entry.token)),
                  "Give each token an id of its own"});
  }
  const auto place = ids_.emplace(entry.token, id).first;
  if (tokens_.size() <= static_cast<std::size_t>(id)) tokens_.resize(static_cast<std::size_t>(id) + 1, nullptr);
  tokens_[static_cast<std::size_t>(id)] = &place->first;
  return id;
}

std::optional<TokenId> Vocabulary::id_of(std::string_view token) const {
  const auto found = ids_.find(token);
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

bool Vocabulary::has(TokenId id) const {
  return id >= 0 && static_cast<std::size_t>(id) < tokens_.size() && tokens_[static_cast<std::size_t>(id)] != nullptr;
}

std::string_view Vocabulary::token_of(TokenId id) const {
  return has(id) ? std::string_view(*tokens_[static_cast<std::size_t>(id)]) : std::string_view();
}

}  // namespace gumption
