#pragma once

#include "gumption/base/options.h"

namespace gumption {

/// Where a document ends besides the end of its file. Windows never reach from one document into another.
enum class DocumentEnd { kFile, kBlankLine, kLine };

/// What to do about bytes that aren't UTF-8.
enum class InvalidText {
  kSeparate,  // they separate words, as punctuation does
  kRefuse,
};

/// How text files are read for counting.
struct TextOptions {
  DocumentEnd documents = DocumentEnd::kFile;
  InvalidText invalid = InvalidText::kSeparate;

  bool operator==(const TextOptions&) const = default;
};

OptionSet describe(TextOptions& options);

}  // namespace gumption
