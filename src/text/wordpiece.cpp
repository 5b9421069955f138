#include "gumption/text/wordpiece.h"

#include <algorithm>
#include <utility>

#include "gumption/base/error.h"
#include "gumption/text/encode_scratch.h"

namespace gumption {

PieceTrie::PieceTrie() : slots_(1 << 10), ids_(1, -1) {}

void PieceTrie::add_child(std::uint64_t key, std::uint32_t child) {
  std::size_t at = slot_of(key);
  while (slots_[at].key != 0) at = (at + 1) & (slots_.size() - 1);
  slots_[at] = {key, child};
}

void PieceTrie::insert(std::string_view piece, TokenId id) {
  std::uint32_t node = kRoot;
  for (const char letter : piece) {
    const auto byte = static_cast<unsigned char>(letter);
    std::uint32_t child = child_of(node, byte);
    if (child == kNowhere) {
      if ((ids_.size() + 1) * 2 > slots_.size()) {
        std::vector<Slot> old(slots_.size() * 2);
        old.swap(slots_);
        for (const Slot& slot : old) {
          if (slot.key != 0) add_child(slot.key, slot.child);
        }
      }
      child = static_cast<std::uint32_t>(ids_.size());
      ids_.push_back(-1);
      add_child(((std::uint64_t{node} << 8) | byte) + 1, child);
    }
    node = child;
  }
  if (node != kRoot) ids_[node] = id;
}

std::uint32_t PieceTrie::descend(std::uint32_t node, std::string_view text) const {
  for (const char letter : text) {
    node = child_of(node, static_cast<unsigned char>(letter));
    if (node == kNowhere) break;
  }
  return node;
}

PieceTrie::Match PieceTrie::longest(std::uint32_t node, std::string_view text) const {
  Match best;
  for (std::size_t i = 0; i < text.size(); ++i) {
    node = child_of(node, static_cast<unsigned char>(text[i]));
    if (node == kNowhere) break;
    if (ids_[node] >= 0) best = {ids_[node], i + 1};
  }
  return best;
}

WordPieceTokenizer::WordPieceTokenizer(Vocabulary vocabulary, std::vector<AddedToken> added, WordPieceOptions options,
                                       const std::string& file)
    : BertWordTokenizer(std::move(vocabulary), std::move(added), options.text), options_(std::move(options)) {
  const Vocabulary& words = this->vocabulary();
  const auto unknown = words.id_of(options_.unknown);
  if (!unknown) {
    throw UserError(Complaint{file, 0, "a WordPiece vocabulary with " + in_quotes(options_.unknown), "none",
                              "Is this file complete, and a WordPiece vocabulary?"});
  }
  unknown_ = *unknown;
  for (std::size_t id = 0; id < words.id_limit(); ++id) {
    const auto token = static_cast<TokenId>(id);
    if (!words.has(token)) continue;
    trie_.insert(words.token_of(token), token);
    longest_piece_ = std::max(longest_piece_, words.token_of(token).size());
  }
  continuing_ = trie_.descend(PieceTrie::kRoot, options_.continuation);
  set_up_added_tokens();
}

void WordPieceTokenizer::encode_segment(std::string_view segment, EncodeScratch::Parts& scratch,
                                        std::vector<TokenId>& ids) const {
  text().for_each_word(segment, scratch.bert, [&](const char* data, std::size_t size) {
    if (size > WordKey::kLongest) return append_pieces({data, size}, ids);
    append_cached(scratch.cache, WordKey::of_padded(data, size), ids, [&](std::vector<TokenId>& into) {
      append_pieces({data, size}, into);
    });
  });
}

void WordPieceTokenizer::append_pieces(std::string_view word, std::vector<TokenId>& ids) const {
  const std::size_t before = ids.size();
  bool known = word.size() <= options_.longest_word || count_points(word) <= options_.longest_word;
  std::uint32_t node = PieceTrie::kRoot;
  while (known && !word.empty()) {
    const PieceTrie::Match piece = node == PieceTrie::kNowhere ? PieceTrie::Match{} : trie_.longest(node, word);
    known = piece.id >= 0;
    if (!known) break;
    ids.push_back(piece.id);
    word.remove_prefix(piece.length);
    node = continuing_;
  }
  if (known) return;
  ids.resize(before);
  ids.push_back(unknown_);
}

std::vector<BpeSymbol> WordPieceTokenizer::pieces_of(std::string_view word) const {
  if (count_points(word) > options_.longest_word) return {{unknown_, word.size()}};
  std::vector<BpeSymbol> pieces;
  std::size_t begin = 0;
  while (begin < word.size()) {
    std::size_t end = std::min(word.size(), begin + longest_piece_);
    for (; end > begin; --end) {
      const std::string piece = (begin > 0 ? options_.continuation : "") + std::string(word.substr(begin, end - begin));
      if (const auto id = vocabulary().id_of(piece)) {
        pieces.push_back({*id, end - begin});
        break;
      }
    }
    if (end == begin) return {{unknown_, word.size()}};
    begin = end;
  }
  return pieces;
}

namespace {

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
}

/// The replacements of the reference, in its order; on one token with the space before it.
void clean_up_token(std::string& token) {
  struct Replacement {
    std::string_view what;
    std::string_view with;
  };
  static constexpr Replacement kReplacements[] = {
      {" .", "."},   {" ?", "?"},           {" !", "!"},   {" ,", ","},     {" ' ", "'"},    {" n't", "n't"},
      {" 'm", "'m"}, {" do not", " don't"}, {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"},
  };
  for (const Replacement& replacement : kReplacements) replace_all(token, replacement.what, replacement.with);
}

}  // namespace

std::string WordPieceTokenizer::join(std::span<const TokenId> ids) const {
  std::string text;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    std::string token(vocabulary().token_of(ids[i]));
    if (i > 0) {
      if (token.starts_with(options_.continuation)) {
        token.erase(0, options_.continuation.size());
      } else {
        token.insert(0, 1, ' ');
      }
    }
    if (options_.clean_up) clean_up_token(token);
    text += token;
  }
  return text;
}

std::vector<AddedToken> bert_special_tokens(const Vocabulary& vocabulary) {
  std::vector<AddedToken> added;
  for (const char* content : {"[UNK]", "[SEP]", "[PAD]", "[CLS]", "[MASK]"}) {
    if (const auto id = vocabulary.id_of(content)) added.push_back({.content = content, .id = *id});
  }
  return added;
}

}  // namespace gumption
