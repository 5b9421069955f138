#include "gumption/text/bpe_merges.h"

#include <algorithm>
#include <bit>
#include <functional>

#include "gumption/base/error.h"

namespace gumption {

namespace {

TokenId require_token(const Vocabulary& vocabulary, const std::string& token, const MergeRule& rule,
                      const std::string& file) {
  if (const auto id = vocabulary.id_of(token)) return *id;
  throw UserError(Complaint{file, rule.line, "merges of tokens that are in the vocabulary",
                            in_quotes(rule.left) + " + " + in_quotes(rule.right) + ", and no token " + in_quotes(token),
                            "Do the vocabulary and the merges belong together?"});
}

}  // namespace

BpeMerges::BpeMerges(const std::vector<MergeRule>& rules, const Vocabulary& vocabulary, const std::string& file) {
  slots_.resize(std::bit_ceil(rules.size() * 2 + 2));
  mask_ = slots_.size() - 1;
  std::uint32_t rank = 0;
  for (const MergeRule& rule : rules) {
    const TokenId left = require_token(vocabulary, rule.left, rule, file);
    const TokenId right = require_token(vocabulary, rule.right, rule, file);
    const TokenId result = require_token(vocabulary, rule.left + rule.right, rule, file);
    if (find(left, right) != nullptr) {
      throw UserError(Complaint{file, rule.line, "each pair once",
                                in_quotes(rule.left) + " + " + in_quotes(rule.right) + " a second time", "Remove one"});
    }
    insert(key_of(left, right), {rank++, result});
  }
}

void BpeMerges::insert(std::uint64_t key, Merge merge) {
  std::size_t at = slot_of(key);
  while (slots_[at].key != kFree) at = (at + 1) & mask_;
  slots_[at] = {key, merge};
}

void BpeMerges::apply_plainly(std::vector<BpeSymbol>& symbols) const {
  while (true) {
    const Merge* best = nullptr;
    std::size_t place = 0;
    for (std::size_t i = 0; i + 1 < symbols.size(); ++i) {
      const Merge* merge = find(symbols[i].id, symbols[i + 1].id);
      if (merge == nullptr || (best != nullptr && merge->rank >= best->rank)) continue;
      best = merge;
      place = i;
    }
    if (best == nullptr) return;
    symbols[place] = {best->result, symbols[place].length + symbols[place + 1].length};
    symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(place) + 1);
  }
}

void BpeMerges::apply(std::vector<BpeSymbol>& symbols, Scratch& scratch) const {
  constexpr std::size_t kFew = 48;
  if (symbols.size() <= kFew) {
    apply_to_few(symbols, scratch);
  } else {
    apply_to_many(symbols, scratch);
  }
}

/// Keeps what each pair merges into, so that one merge looks up two pairs only.
void BpeMerges::apply_to_few(std::vector<BpeSymbol>& symbols, Scratch& scratch) const {
  auto& merges = scratch.merges;
  merges.clear();
  for (std::size_t i = 0; i + 1 < symbols.size(); ++i) merges.push_back(find(symbols[i].id, symbols[i + 1].id));
  while (true) {
    const Merge* best = nullptr;
    std::size_t place = 0;
    for (std::size_t i = 0; i < merges.size(); ++i) {
      if (merges[i] == nullptr || (best != nullptr && merges[i]->rank >= best->rank)) continue;
      best = merges[i];
      place = i;
    }
    if (best == nullptr) return;
    symbols[place] = {best->result, symbols[place].length + symbols[place + 1].length};
    symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(place) + 1);
    merges.erase(merges.begin() + static_cast<std::ptrdiff_t>(place));
    if (place > 0) merges[place - 1] = find(symbols[place - 1].id, symbols[place].id);
    if (place < merges.size()) merges[place] = find(symbols[place].id, symbols[place + 1].id);
  }
}

/// A linked list and a heap of candidates, for words that are as long as a text.
void BpeMerges::apply_to_many(std::vector<BpeSymbol>& symbols, Scratch& scratch) const {
  const std::size_t end = symbols.size();
  auto& links = scratch.links;
  auto& heap = scratch.heap;
  links.clear();
  heap.clear();
  for (std::size_t i = 0; i < end; ++i) links.push_back({symbols[i], i == 0 ? end : i - 1, i + 1});

  const auto offer = [&](std::size_t place, std::size_t next) {
    const Merge* merge = find(links[place].symbol.id, links[next].symbol.id);
    if (merge == nullptr) return;
    heap.push_back({merge->rank, place, links[place].symbol.id, links[next].symbol.id});
    std::push_heap(heap.begin(), heap.end(), std::greater<>());
  };
  for (std::size_t i = 0; i + 1 < end; ++i) offer(i, i + 1);

  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end(), std::greater<>());
    const Scratch::Candidate candidate = heap.back();
    heap.pop_back();
    auto& left = links[candidate.place];
    const bool gone = left.symbol.length == 0 || left.next == end;
    if (gone || left.symbol.id != candidate.left || links[left.next].symbol.id != candidate.right) continue;
    auto& right = links[left.next];
    left.symbol = {find(candidate.left, candidate.right)->result, left.symbol.length + right.symbol.length};
    right.symbol.length = 0;
    left.next = right.next;
    if (left.next != end) links[left.next].previous = candidate.place;
    if (left.previous != end) offer(left.previous, candidate.place);
    if (left.next != end) offer(candidate.place, left.next);
  }

  symbols.clear();
  for (std::size_t i = 0; i < end; i = links[i].next) symbols.push_back(links[i].symbol);
}

}  // namespace gumption
