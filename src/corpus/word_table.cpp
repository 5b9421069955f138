#include "gumption/corpus/word_table.h"

#include "gumption/base/error.h"

namespace gumption {

void WordTable::place(const Slot& slot, std::size_t hash) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  while (slots_[at].length != 0) at = (at + 1) & mask;
  slots_[at] = slot;
}

void WordTable::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  std::string word;
  for (const Slot& slot : old) {
    if (slot.length == 0) continue;
    const std::size_t in_head = std::min<std::size_t>(slot.length, ScannedWord::kHead);
    word.assign(reinterpret_cast<const char*>(&slot.head), in_head);
    word.append(rests_, slot.rest, slot.length - in_head);
    place(slot, hash_of(ScannedWord::of(word)));
  }
}

void WordTable::add(const ScannedWord& word, std::uint32_t value) {
  ensure(word.length > 0, "a word has letters");
  if ((used_ + 1) * 2 > slots_.size()) grow();
  place({word.head, word.length, value, rests_.size()}, hash_of(word));
  if (word.length > ScannedWord::kHead) rests_ += word.text().substr(ScannedWord::kHead);
  ++used_;
}

}  // namespace gumption
