// Lines, words and UTF-8 over arbitrary bytes.

#include <cstdint>
#include <string>
#include <string_view>

#include "gumption/base/error.h"
#include "gumption/base/line_reader.h"
#include "gumption/text/words.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string mended = gumption::replace_invalid_utf8(bytes);
  gumption::ensure(!gumption::find_invalid_utf8(mended), "mended text is well-formed");
  gumption::words_of(bytes);
  gumption::trim(bytes);
  gumption::squeeze_white_space(bytes);
  try {
    gumption::LineReader lines(gumption::open_memory(bytes, "fuzz"));
    std::string_view line;
    while (lines.next(line)) gumption::ensure(line.find('\n') == std::string_view::npos, "a line has no line end");
  } catch (const gumption::UserError&) {
    // UTF-16 is refused.
  }
  return 0;
}
