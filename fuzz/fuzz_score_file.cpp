// Answers over arbitrary bytes; what is read keeps the promises of ScoredAnswer, and is right when it is its own gold.

#include <cstdint>
#include <string_view>

#include "gumption/base/error.h"
#include "gumption/measure/score_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const gumption::ScoreFile file = gumption::read_score_file(gumption::open_memory(bytes, "fuzz"));
    gumption::Gold gold;
    for (const gumption::ScoredAnswer& row : file.answers) {
      gumption::ensure(row.choices >= 2 && row.choice >= 0 && static_cast<std::size_t>(row.choice) < row.choices,
                       "a choice is among the choices");
      gumption::ensure(!row.label || (*row.label >= 0 && static_cast<std::size_t>(*row.label) < row.choices),
                       "a label is among the choices");
      gold.questions.push_back({row.id, row.choices, row.label ? row.label : row.choice});
    }
    gumption::check_gold(gold);
    const gumption::Marks marks = gumption::mark(file, gold);
    gumption::ensure(marks.right.size() == file.answers.size(), "every answer is marked");
  } catch (const gumption::UserError&) {
    // Refused with a message.
  }
  return 0;
}
