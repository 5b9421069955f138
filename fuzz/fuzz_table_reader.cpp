// Tables over arbitrary bytes; what is read and written again must read the same.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gumption/base/error.h"
#include "gumption/data/table_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    gumption::TableReader reader(gumption::open_memory(bytes, "fuzz"), {.separator = '\t', .has_header = false});
    std::vector<std::string> fields;
    while (reader.next(fields)) {
      bool has_return = false;  // a CR before an LF belongs to the line end and is dropped
      for (const auto& field : fields) has_return |= field.find('\r') != std::string::npos;
      if (has_return) continue;
      std::string text;
      gumption::append_record(text, fields, '\t');
      gumption::TableReader again(gumption::open_memory(text, "again"), {.separator = '\t', .has_header = false});
      std::vector<std::string> copy;
      gumption::ensure(again.next(copy) && copy == fields, "a table survives writing");
    }
  } catch (const gumption::UserError&) {
    // Refused with a message.
  }
  return 0;
}
