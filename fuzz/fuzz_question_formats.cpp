// Every question format over arbitrary bytes: the first byte chooses the format. A reader may refuse anything with a
// UserError; it must not crash, hang or give a question that breaks the rules.

#include <cstdint>
#include <string>

#include "gumption/base/error.h"
#include "gumption/data/question_format.h"

namespace {

void read_all_rows(const gumption::QuestionFormat& format, std::string_view bytes) {
  const auto reader = format.open({"fuzz", gumption::open_memory(bytes, "fuzz")});
  gumption::Question question;
  while (true) {
    try {
      if (!reader->next(question)) return;
      gumption::ensure(question.choices.size() >= 2, "a question has choices");
      gumption::ensure(!question.label || static_cast<std::size_t>(*question.label) < question.choices.size(),
                       "a label names a choice");
    } catch (const gumption::BadRow&) {
      // The reader goes on with the next row.
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto formats = gumption::question_formats();
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    read_all_rows(*formats[data[0] % formats.size()], bytes);
  } catch (const gumption::UserError&) {
    // Refused with a message: that is all we ask.
  }
  return 0;
}
