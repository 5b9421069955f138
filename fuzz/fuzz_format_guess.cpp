// Telling formats by content, over arbitrary beginnings of files.

#include <cstdint>

#include "gumption/data/event_format.h"
#include "gumption/data/question_format.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gumption::FileStart start;
  start.path = "fuzz";
  start.bytes.assign(reinterpret_cast<const char*>(data), size);
  gumption::guess_question_format(start);
  gumption::guess_event_format(start);
  return 0;
}
