#pragma once

// Lexicons that give words a valence (unpleasant to pleasant), an arousal (calm to excited) and a dominance (controlled
// to in control).

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "gumption/base/files.h"

namespace gumption {

/// Each from 0 to 1, whatever the lexicon's own scale is.
struct Affect {
  double valence = 0;
  double arousal = 0;
  double dominance = 0;
};

struct AffectMean {
  Affect mean;            // over the known words, each occurrence counted; zeros when none is known
  std::size_t known = 0;  // words that are in the lexicon
  std::size_t words = 0;  // all words
};

/// Thread-safe once loaded.
class AffectLexicon {
 public:
  /// Reads one of two formats, told apart by the first line:
  ///   NRC       Word <tab> Valence <tab> Arousal <tab> Dominance, from 0 to 1, with or without that header;
  ///   Warriner  comma-separated with a header that names Word, V.Mean.Sum, A.Mean.Sum and D.Mean.Sum, from 1 to 9,
  ///             stored as (value − 1) / 8.
  /// Words are lower-cased; of two that differ in case only ("Polish", "polish") the lower-case one is kept. A bad row,
  /// or the same word again with different values, is a BadRow with file and line; a file in neither format a
  /// UserError.
  static AffectLexicon load(const std::filesystem::path& path);
  static AffectLexicon read(std::unique_ptr<ByteSource> source);

  /// The values of a lower-cased word or phrase of the lexicon; nullptr where it has none. Valid as long as the
  /// lexicon.
  const Affect* find(std::string_view word) const;

  /// Over the words of for_each_word(); entries of several words take no part.
  AffectMean mean_of(std::string_view text) const;

  std::size_t size() const { return entries_.size(); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view word) const { return std::hash<std::string_view>()(word); }
  };
  std::unordered_map<std::string, Affect, Hash, std::equal_to<>> entries_;
};

}  // namespace gumption
