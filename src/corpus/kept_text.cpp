#include "gumption/corpus/kept_text.h"

#include <algorithm>
#include <utility>

namespace gumption {

void KeptText::add(const NumberedBlock& block) {
  if (!goes_on()) return;
  NumberedBlock copy = block;  // takes no more memory than its words, and is made while others count
  const std::lock_guard lock(mutex_);
  bytes_ += copy.tokens.size() * sizeof(copy.tokens[0]);
  if (bytes_ > most_bytes_) {
    goes_on_ = false;
    blocks_ = {};
  }
  if (goes_on()) blocks_.push_back(std::move(copy));
}

void KeptText::finish(std::vector<std::vector<std::string>> spellings) {
  spellings_ = std::move(spellings);
  finished_ = true;
  std::sort(blocks_.begin(), blocks_.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
}

std::vector<std::vector<std::uint32_t>> KeptText::renumbering(const WordTable& numbers, std::uint32_t absent) const {
  std::vector<std::vector<std::uint32_t>> all;
  for (const auto& words : spellings_) {
    auto& some = all.emplace_back();
    some.reserve(words.size());
    for (const std::string& word : words) some.push_back(std::min(numbers.find(word), absent));
  }
  return all;
}

std::vector<NumberedBlock> KeptText::take_before(std::uint64_t end) {
  std::vector<NumberedBlock> taken;
  for (; taken_ < blocks_.size() && blocks_[taken_].number < end; ++taken_) {
    taken.push_back(std::exchange(blocks_[taken_], {}));
  }
  return taken;
}

}  // namespace gumption
