#include "gumption/corpus/text_options.h"

namespace gumption {

OptionSet describe(TextOptions& options) {
  OptionSet set;
  set.add_choice(
      "documents", options.documents, "Where a document ends, besides the end of its file; no window reaches over it",
      std::vector<NamedValue<DocumentEnd>>{
          {"file", DocumentEnd::kFile}, {"blank-line", DocumentEnd::kBlankLine}, {"line", DocumentEnd::kLine}});
  set.add_choice(
      "invalid", options.invalid, "Bytes that aren't UTF-8 separate words, or their file is refused",
      std::vector<NamedValue<InvalidText>>{{"separate", InvalidText::kSeparate}, {"refuse", InvalidText::kRefuse}});
  return set;
}

}  // namespace gumption
