#include "gumption/data/question.h"

#include "gumption/text/unicode.h"

namespace gumption {

std::string_view to_text(AsksFor asks_for) { return asks_for == AsksFor::kCause ? "cause" : "effect"; }

std::optional<AsksFor> asks_for_of(std::string_view text) {
  if (text == "cause") return AsksFor::kCause;
  if (text == "effect") return AsksFor::kEffect;
  return std::nullopt;
}

bool is_none_of_the_above(std::string_view choice) {
  constexpr std::string_view kStart = "none of the above";
  // Almost no choice starts so; look at the first letter before anything costly.
  const std::string_view trimmed = trim(choice);
  if (trimmed.empty() || (trimmed[0] != 'n' && trimmed[0] != 'N')) return false;
  return comparable(trimmed).starts_with(kStart);
}

std::string comparable(std::string_view text) { return to_lower(squeeze_white_space(text)); }

}  // namespace gumption
