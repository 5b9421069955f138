#include "gumption/text/byte_bpe.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "gumption/base/error.h"
#include "gumption/text/encode_scratch.h"
#include "gumption/text/unicode.h"

namespace gumption {

namespace {

constexpr CharacterClasses kPieceClasses = kLetterClass | kNumberClass | kSpaceClass;

struct ClassedPoint {
  CharacterClasses classes = 0;  // of kPieceClasses; 0 for punctuation and everything else
  std::size_t length = 0;
};

ClassedPoint point_at(std::string_view text, std::size_t at, const CharacterTable& table) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < 0x80) return {static_cast<CharacterClasses>(table[byte] & kPieceClasses), 1};
  const DecodedPoint point = decode_point(text.substr(at));
  return {static_cast<CharacterClasses>(table[point.value] & kPieceClasses), point.length};
}

/// Where the run of points of one class ends.
std::size_t run_end(std::string_view text, std::size_t at, CharacterClasses classes, const CharacterTable& table) {
  while (at < text.size()) {
    const ClassedPoint point = point_at(text, at, table);
    if (point.classes != classes) break;
    at += point.length;
  }
  return at;
}

/// Length of 's, 't, 're, 've, 'm, 'll or 'd at the start of a text, or 0.
std::size_t contraction_length(std::string_view text) {
  if (text.size() < 2 || text[0] != '\'') return 0;
  const char first = text[1];
  if (first == 's' || first == 't' || first == 'm' || first == 'd') return 2;
  const std::string_view two = text.substr(1, 2);
  return two == "re" || two == "ve" || two == "ll" ? 3 : 0;
}

/// White space up to its last point, which goes to the word behind; all of it at the end of the text.
std::size_t white_space_length(std::string_view text, const CharacterTable& table) {
  std::size_t end = 0;
  std::size_t last = 0;
  while (end < text.size()) {
    const ClassedPoint point = point_at(text, end, table);
    if (point.classes != kSpaceClass) break;
    last = end;
    end += point.length;
  }
  return end == text.size() || last == 0 ? end : last;
}

}  // namespace

std::size_t first_gpt2_piece(std::string_view text, const CharacterTable& table) {
  if (const std::size_t length = contraction_length(text)) return length;
  const std::size_t begin = text[0] == ' ' && text.size() > 1 ? 1 : 0;
  const ClassedPoint first = point_at(text, begin, table);
  if (first.classes == kSpaceClass) return white_space_length(text, table);
  return run_end(text, begin + first.length, first.classes, table);
}

const std::array<std::string, 256>& byte_spellings() {
  static const std::array<std::string, 256> spellings = [] {
    std::array<std::string, 256> made;
    char32_t next = 256;
    for (unsigned byte = 0; byte < 256; ++byte) {
      const bool printable = (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
      append_point(made[byte], printable ? char32_t{byte} : next++);
    }
    return made;
  }();
  return spellings;
}

std::optional<std::string> bytes_of_spelling(std::string_view token) {
  static const std::unordered_map<char32_t, char> bytes = [] {
    std::unordered_map<char32_t, char> made;
    for (unsigned byte = 0; byte < 256; ++byte) {
      made[decode_point(byte_spellings()[byte]).value] = static_cast<char>(byte);
    }
    return made;
  }();
  std::string result;
  while (!token.empty()) {
    const DecodedPoint point = decode_point(token);
    const auto found = bytes.find(point.value);
    if (found == bytes.end()) return std::nullopt;
    result += found->second;
    token.remove_prefix(point.length);
  }
  return result;
}

namespace {

/// Whether occurrences of the two in a text could share a byte.
bool may_overlap(const std::string& a, const std::string& b) {
  if (a.find(b) != std::string::npos || b.find(a) != std::string::npos) return true;
  for (std::size_t size = 1; size < std::min(a.size(), b.size()); ++size) {
    if (std::string_view(a).substr(a.size() - size) == std::string_view(b).substr(0, size)) return true;
    if (std::string_view(b).substr(b.size() - size) == std::string_view(a).substr(0, size)) return true;
  }
  return false;
}

/// Text isn't normalised here, so one search finds tokens of both sorts, where it can't matter which sort goes first.
std::vector<AddedToken> search_at_once(std::vector<AddedToken> added) {
  constexpr std::size_t kMany = 100;
  if (added.size() > kMany) return added;
  for (const AddedToken& normalised : added) {
    if (!normalised.normalised) continue;
    if (normalised.single_word) return added;
    for (const AddedToken& raw : added) {
      if (!raw.normalised && may_overlap(normalised.content, raw.content)) return added;
    }
  }
  for (AddedToken& token : added) token.normalised = false;
  return added;
}

}  // namespace

ByteBpeTokenizer::ByteBpeTokenizer(Vocabulary vocabulary, std::vector<AddedToken> added, BpeMerges merges,
                                   ByteBpeOptions options, const std::string& file)
    : Tokenizer(std::move(vocabulary), search_at_once(std::move(added))),
      options_(std::move(options)),
      merges_(std::move(merges)),
      table_(CharacterTable::get()) {
  for (std::size_t byte = 0; byte < byte_ids_.size(); ++byte) {
    byte_ids_[byte] = this->vocabulary().id_of(byte_spellings()[byte]).value_or(-1);
  }
  if (!options_.unknown.empty()) {
    const auto unknown = this->vocabulary().id_of(options_.unknown);
    if (!unknown) {
      throw UserError(Complaint{file, 0, "the unknown token " + in_quotes(options_.unknown) + " in the vocabulary",
                                "none", "Is this file complete?"});
    }
    unknown_ = *unknown;
  }
  set_up_added_tokens();
}

void ByteBpeTokenizer::symbols_of(std::string_view word, std::vector<BpeSymbol>& symbols) const {
  symbols.clear();
  bool after_unknown = false;
  for (const char letter : word) {
    const TokenId id = byte_ids_[static_cast<unsigned char>(letter)];
    if (id >= 0) {
      symbols.push_back({id, 1});
    } else if (unknown_ >= 0 && options_.fuse_unknown && after_unknown) {
      ++symbols.back().length;
    } else if (unknown_ >= 0) {
      symbols.push_back({unknown_, 1});
    }
    after_unknown = id < 0;
  }
}

void ByteBpeTokenizer::append_word(std::string_view word, EncodeScratch::Parts& scratch,
                                   std::vector<TokenId>& ids) const {
  symbols_of(word, scratch.symbols);
  merges_.apply(scratch.symbols, scratch.merging);
  for (const BpeSymbol& symbol : scratch.symbols) ids.push_back(symbol.id);
}

void ByteBpeTokenizer::encode_segment(std::string_view text, EncodeScratch::Parts& scratch,
                                      std::vector<TokenId>& ids) const {
  if (options_.add_prefix_space && text[0] != ' ') {
    scratch.prefixed.assign(1, ' ').append(text);
    text = scratch.prefixed;
  }
  while (!text.empty()) {
    const std::string_view word = text.substr(0, first_gpt2_piece(text, table_));
    if (word.size() > WordKey::kLongest) {
      append_word(word, scratch, ids);
    } else {
      const bool padded = text.size() > WordKey::kLongest;
      const WordKey key = padded ? WordKey::of_padded(word.data(), word.size()) : WordKey::of(word);
      append_cached(scratch.cache, key, ids, [&](std::vector<TokenId>& into) { append_word(word, scratch, into); });
    }
    text.remove_prefix(word.size());
  }
}

TextRange ByteBpeTokenizer::place_of(std::string_view text, TextRange bytes) const {
  const auto inside = [&](std::size_t at) {
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
  };
  if (options_.trim_offsets) {
    while (bytes.begin < bytes.end && text[bytes.begin] == ' ') ++bytes.begin;
    while (bytes.begin < bytes.end && text[bytes.end - 1] == ' ') --bytes.end;
  }
  while (bytes.begin > 0 && inside(bytes.begin)) --bytes.begin;
  while (inside(bytes.end)) ++bytes.end;
  return bytes;
}

void ByteBpeTokenizer::place_segment(std::string_view text, std::vector<Placed>& tokens) const {
  // The added tokens that are looked for in normalised text: there is no normalising here, so in the text itself.
  AddedTokenFinder::Cursor cursor;
  AddedTokenFinder::Part part;
  std::vector<BpeSymbol> symbols;
  BpeMerges::Scratch scratch;
  while (normalised_finder().next(text, cursor, part)) {
    if (part.token != AddedTokenFinder::kNone) {
      tokens.push_back({added_tokens()[part.token].id, {part.begin, part.end}});
      continue;
    }
    const std::size_t added = options_.add_prefix_space && text[part.begin] != ' ' ? 1 : 0;
    const std::string segment = std::string(added, ' ') + std::string(text.substr(part.begin, part.end - part.begin));
    std::size_t at = 0;
    while (at < segment.size()) {
      const std::size_t end = at + first_gpt2_piece(std::string_view(segment).substr(at), table_);
      symbols_of(std::string_view(segment).substr(at, end - at), symbols);
      merges_.apply(symbols, scratch);
      for (const BpeSymbol& symbol : symbols) {
        TextRange place = place_of(segment, {at, at + symbol.length});
        if (added > 0 && place.end <= added) place.end = added + decode_point(text.substr(part.begin)).length;
        const auto original = [&](std::size_t byte) { return part.begin + std::max(byte, added) - added; };
        tokens.push_back({symbol.id, {original(place.begin), original(place.end)}});
        at += symbol.length;
      }
      at = end;
    }
  }
}

std::string ByteBpeTokenizer::decode_bytes(std::span<const TokenId> ids) const {
  std::string bytes;
  for (const TokenId id : ids) {
    const std::string_view token = vocabulary().token_of(id);
    bytes += bytes_of_spelling(token).value_or(std::string(token));
  }
  return bytes;
}

std::string ByteBpeTokenizer::join(std::span<const TokenId> ids) const {
  return replace_invalid_utf8(decode_bytes(ids));
}

}  // namespace gumption
