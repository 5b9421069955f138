#include "gumption/text/tokenizer.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include <fmt/format.h>

#include "gumption/base/error.h"
#include "gumption/text/encode_scratch.h"
#include "gumption/text/unicode.h"

namespace gumption {

namespace {

std::uint64_t next_serial() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

/// Counts code points up to places that mostly move forward.
class PointCounter {
 public:
  explicit PointCounter(std::string_view text) : text_(text) {}

  std::size_t points_before(std::size_t byte) {
    for (; at_ < byte; ++at_) points_ += starts_point(text_[at_]) ? 1 : 0;
    for (; at_ > byte; --at_) points_ -= starts_point(text_[at_ - 1]) ? 1 : 0;
    return points_;
  }

 private:
  static bool starts_point(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t points_ = 0;
};

/// Maps places in a text whose ill-formed parts were replaced back to the original; places come in any order.
class ReplacementMap {
 public:
  ReplacementMap(std::string_view original) {
    constexpr std::size_t kReplacementSize = 3;
    std::size_t replaced = 0;
    for (std::size_t at = 0; at < original.size();) {
      const DecodedPoint point = decode_point(original.substr(at));
      at += point.length;
      replaced += point.valid ? point.length : kReplacementSize;
      if (!point.valid) steps_.push_back({replaced, at});
    }
  }

  std::size_t original_of(std::size_t place) const {
    const Step* last = nullptr;
    std::size_t low = 0;
    std::size_t high = steps_.size();
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (steps_[middle].replaced <= place) {
        last = &steps_[middle];
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return last == nullptr ? place : last->original + (place - last->replaced);
  }

 private:
  struct Step {  // both ends of a replaced part
    std::size_t replaced;
    std::size_t original;
  };
  std::vector<Step> steps_;
};

}  // namespace

EncodeScratch::EncodeScratch(const Tokenizer& tokenizer)
    : owner_(tokenizer.serial_), parts_(std::make_unique<Parts>()) {}
EncodeScratch::EncodeScratch(EncodeScratch&&) noexcept = default;
EncodeScratch& EncodeScratch::operator=(EncodeScratch&&) noexcept = default;
EncodeScratch::~EncodeScratch() = default;

Tokenizer::Tokenizer(Vocabulary vocabulary, std::vector<AddedToken> added)
    : vocabulary_(std::move(vocabulary)),
      added_(std::move(added)),
      raw_finder_({}, {}),
      normalised_finder_({}, {}),
      serial_(next_serial()) {}

Tokenizer::~Tokenizer() = default;

void Tokenizer::set_up_added_tokens() {
  std::vector<std::string> raw;
  std::vector<std::string> normal;
  for (const AddedToken& token : added_) {
    raw.push_back(token.normalised ? "" : token.content);
    normal.push_back(token.normalised ? normalised(token.content) : "");
  }
  raw_finder_ = AddedTokenFinder(added_, raw);
  normalised_finder_ = AddedTokenFinder(added_, normal);
}

std::string_view Tokenizer::checked(std::string_view text, InvalidUtf8 invalid, std::string& replaced) const {
  const auto bad = find_invalid_utf8(text);
  if (!bad) return text;
  if (invalid == InvalidUtf8::kRefuse) {
    throw UserError(
        fmt::format("expected UTF-8 text, found byte 0x{:02X} at position {}, which is not. "
                    "Convert the text, or let such bytes be replaced.",
                    static_cast<unsigned char>(text[*bad]), *bad));
  }
  replaced = replace_invalid_utf8(text);
  return replaced;
}

void Tokenizer::encode(std::string_view text, EncodeScratch& scratch, std::vector<TokenId>& ids,
                       InvalidUtf8 invalid) const {
  ensure(scratch.owner_ == serial_, "an EncodeScratch of another tokenizer");
  EncodeScratch::Parts& parts = *scratch.parts_;
  text = checked(text, invalid, parts.replaced);
  AddedTokenFinder::Cursor cursor;
  AddedTokenFinder::Part part;
  while (raw_finder_.next(text, cursor, part)) {
    if (part.token != AddedTokenFinder::kNone) {
      ids.push_back(added_[part.token].id);
      continue;
    }
    const std::string_view segment = text.substr(part.begin, part.end - part.begin);
    if (normalised_finder_.empty()) {
      encode_segment(segment, parts, ids);
      continue;
    }
    std::vector<Placed> tokens;
    place_segment(segment, tokens);
    for (const Placed& token : tokens) ids.push_back(token.id);
  }
}

std::vector<TokenId> Tokenizer::encode(std::string_view text, InvalidUtf8 invalid) const {
  std::unique_ptr<EncodeScratch> scratch = borrow_scratch();
  std::vector<TokenId> ids;
  encode(text, *scratch, ids, invalid);
  return_scratch(std::move(scratch));
  return ids;
}

std::unique_ptr<EncodeScratch> Tokenizer::borrow_scratch() const {
  {
    const std::lock_guard lock(idle_mutex_);
    if (!idle_.empty()) {
      auto scratch = std::move(idle_.back());
      idle_.pop_back();
      return scratch;
    }
  }
  return std::make_unique<EncodeScratch>(*this);
}

void Tokenizer::return_scratch(std::unique_ptr<EncodeScratch> scratch) const {
  const std::lock_guard lock(idle_mutex_);
  idle_.push_back(std::move(scratch));
}

Encoding Tokenizer::encode_with_offsets(std::string_view text, InvalidUtf8 invalid) const {
  std::string replaced;
  const std::string_view valid = checked(text, invalid, replaced);
  std::vector<Placed> tokens;
  AddedTokenFinder::Cursor cursor;
  AddedTokenFinder::Part part;
  while (raw_finder_.next(valid, cursor, part)) {
    if (part.token != AddedTokenFinder::kNone) {
      tokens.push_back({added_[part.token].id, {part.begin, part.end}});
      continue;
    }
    const std::size_t before = tokens.size();
    place_segment(valid.substr(part.begin, part.end - part.begin), tokens);
    for (std::size_t i = before; i < tokens.size(); ++i) {
      tokens[i].bytes.begin += part.begin;
      tokens[i].bytes.end += part.begin;
    }
  }

  Encoding encoding;
  PointCounter begins(valid);
  PointCounter ends(valid);
  for (const Placed& token : tokens) {
    encoding.ids.push_back(token.id);
    encoding.bytes.push_back(token.bytes);
    encoding.points.push_back({begins.points_before(token.bytes.begin), ends.points_before(token.bytes.end)});
  }
  if (valid.data() != text.data()) {
    const ReplacementMap map(text);
    for (TextRange& range : encoding.bytes) range = {map.original_of(range.begin), map.original_of(range.end)};
  }
  return encoding;
}

std::string Tokenizer::decode(std::span<const TokenId> ids, DecodeOptions options) const {
  std::vector<TokenId> kept;
  kept.reserve(ids.size());
  for (const TokenId id : ids) {
    if (!vocabulary_.has(id)) {
      throw UserError(fmt::format("expected ids of this vocabulary (below {}), found {}. Was another tokenizer used?",
                                  vocabulary_.id_limit(), id));
    }
    const auto same = [&](const AddedToken& token) { return token.id == id && token.special; };
    if (options.skip_special && std::any_of(added_.begin(), added_.end(), same)) continue;
    kept.push_back(id);
  }
  return kept.empty() ? std::string() : join(kept);
}

}  // namespace gumption
