// A count index from any bytes: refused, or looked up without leaving the file. The sums are made right first, as they
// would keep everything else from being tried.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>

#include "gumption/base/error.h"
#include "gumption/corpus/count_index.h"

namespace {

using namespace gumption;

void mend(std::string& bytes) {
  if (bytes.size() < sizeof(IndexHead) + sizeof(IndexFoot)) return;
  const std::size_t foot_at = bytes.size() - sizeof(IndexFoot);
  IndexFoot foot;
  std::memcpy(&foot, bytes.data() + foot_at, sizeof(foot));
  foot.size = bytes.size();
  if (foot.row_table <= foot_at) {
    foot.tables_sum = IndexSum::of(std::string_view(bytes).substr(foot.row_table, foot_at - foot.row_table));
  }
  foot.foot_sum = foot_sum(foot);
  std::memcpy(bytes.data() + foot_at, &foot, sizeof(foot));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  mend(bytes);
  try {
    const CountIndex index(bytes, "fuzz");
    for (std::uint32_t i = 0; i < std::min<std::uint64_t>(index.word_count(), 16); ++i) {
      const std::string word(index.word(i));
      index.count_of(word);
      index.count_of(word, "the");
      std::array<std::uint64_t, kMostWindows> counts{};
      for (std::uint32_t j = 0; j <= i; ++j) index.find(i, j, counts.data());
    }
    index.check_rows();
  } catch (const UserError&) {
  }
  return 0;
}
