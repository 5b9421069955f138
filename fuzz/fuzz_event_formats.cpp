// Every event format over arbitrary bytes: the first byte chooses the format.

#include <cstdint>
#include <string_view>

#include "gumption/base/error.h"
#include "gumption/data/event_format.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto formats = gumption::event_formats();
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    const auto reader = formats[data[0] % formats.size()]->open(gumption::open_memory(bytes, "fuzz"));
    gumption::Event event;
    bool more = true;
    while (more) {
      try {
        more = reader->next(event);
      } catch (const gumption::BadRow&) {
        // The reader goes on with the next row.
      }
    }
  } catch (const gumption::UserError&) {
    // Refused with a message.
  }
  return 0;
}
