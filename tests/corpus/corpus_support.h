#pragma once

// The plain counter that every faster one must equal, and texts to try them on.

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "gumption/base/random.h"
#include "gumption/corpus/pair_counts.h"
#include "gumption/corpus/text_options.h"
#include "gumption/text/words.h"

namespace gumption::test {

/// Cuts a file's text into documents the obvious way.
inline std::vector<std::string> documents_of(const std::string& text, DocumentEnd end) {
  if (end == DocumentEnd::kFile) return {text};
  std::vector<std::string> documents(1);
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t line_end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, line_end - at);
    const bool blank = line.find_first_not_of(" \t\r") == std::string::npos;
    documents.back() += line + "\n";
    if (end == DocumentEnd::kLine || blank) documents.emplace_back();
    at = line_end + 1;
  }
  return documents;
}

/// Counts by looking at every pair of words.
struct BruteForce {
  std::map<std::string, std::uint64_t> words;
  std::map<WordPair, std::vector<std::uint64_t>> pairs;
  TextTotals totals;

  BruteForce(const std::vector<std::string>& files, const std::vector<std::uint64_t>& windows,
             DocumentEnd end = DocumentEnd::kFile) {
    for (const std::string& file : files) {
      totals.bytes += file.size();
      for (const std::string& document : documents_of(file, end)) add(words_of(document), windows);
    }
  }

  void add(const std::vector<std::string>& text, const std::vector<std::uint64_t>& windows) {
    totals.words += text.size();
    totals.documents += text.empty() ? 0 : 1;
    for (std::size_t y = 0; y < text.size(); ++y) {
      ++words[text[y]];
      for (std::size_t x = y - std::min<std::size_t>(y, windows.back()); x < y; ++x) {
        auto& counts = pairs[{text[x], text[y]}];
        counts.resize(windows.size());
        for (std::size_t w = 0; w < windows.size(); ++w) counts[w] += y - x <= windows[w] ? 1 : 0;
      }
    }
  }
};

/// Text of few words, so that pairs repeat, with anything that can stand between words or inside them.
inline std::string random_text(RandomStream& random, std::size_t pieces) {
  static const std::vector<std::string> kPieces = {"a",
                                                   "The",
                                                   "ICE",
                                                   "melted",
                                                   "glass",
                                                   "don't",
                                                   "don’t",
                                                   "rock'n'roll",
                                                   "'tis",
                                                   "dogs'",
                                                   "Straße",
                                                   "ÉTÉ",
                                                   "e\u0301t",
                                                   "٣٤",
                                                   "日本",
                                                   "x9",
                                                   "incomprehensible",
                                                   "abcdefgh",
                                                   "ABCDEFGHI",
                                                   "a\xFF"
                                                   "b",
                                                   "\xC3",
                                                   "\xE2\x80",
                                                   "\u200D",
                                                   "—",
                                                   "“quoted”",
                                                   "i''d",
                                                   "Ǆ",
                                                   "12'30",
                                                   "\u0301",
                                                   "İ",
                                                   "no’’no",
                                                   "it'\u0301s",
                                                   "Antidisestablishmentarianism's"};
  static const std::vector<std::string> kBetween = {" ",  " ",  " ",  " ", "\n", "\n\n", "\n \r\n",
                                                    ", ", "--", ". ", "'", "\t", ""};
  std::string text;
  for (std::size_t i = 0; i < pieces; ++i) {
    text += kPieces[random.below(kPieces.size())];
    text += kBetween[random.below(kBetween.size())];
  }
  return text;
}

/// Every pair of words that occur, those that never stand together included.
inline std::vector<WordPair> all_pairs(const BruteForce& counted) {
  std::vector<WordPair> pairs;
  for (const auto& [first, ignored] : counted.words) {
    for (const auto& [second, also_ignored] : counted.words) pairs.push_back({first, second});
  }
  return pairs;
}

/// The opening of "The Strange Case of Dr. Jekyll and Mr. Hyde" (R. L. Stevenson, 1886).
inline constexpr std::string_view kExcerpt =
    "Mr. Utterson the lawyer was a man of a rugged countenance that was never lighted by a smile; cold, scanty and "
    "embarrassed in discourse; backward in sentiment; lean, long, dusty, dreary and yet somehow lovable. At friendly "
    "meetings, and when the wine was to his taste, something eminently human beaconed from his eye; something indeed "
    "which never found its way into his talk, but which spoke not only in these silent symbols of the after-dinner "
    "face, but more often and loudly in the acts of his life. He was austere with himself; drank gin when he was "
    "alone, to mortify a taste for vintages; and though he enjoyed the theatre, had not crossed the doors of one for "
    "twenty years. But he had an approved tolerance for others; sometimes wondering, almost with envy, at the high "
    "pressure of spirits involved in their misdeeds; and in any extremity inclined to help rather than to reprove. "
    "\"I incline to Cain's heresy,\" he used to say quaintly: \"I let my brother go to the devil in his own way.\"\n";

/// All counts of words and pairs, those that don't occur included.
inline void expect_equal(const PairCounts& counts, const BruteForce& expected) {
  EXPECT_EQ(counts.totals(), expected.totals);
  for (const auto& [word, number] : expected.words) EXPECT_EQ(counts.count_of(word), number) << word;
  const std::vector<std::uint64_t> none(counts.windows().size());
  for (const WordPair& pair : test::all_pairs(expected)) {
    const auto found = expected.pairs.find(pair);
    EXPECT_EQ(counts.count_of(pair.first, pair.second), found == expected.pairs.end() ? none : found->second)
        << pair.first << " " << pair.second;
  }
}

}  // namespace gumption::test
