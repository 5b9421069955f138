#include "gumption/text/lexicon.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gumption/base/error.h"

#include "support/support.h"

namespace gumption {
namespace {

using testing::HasSubstr;

AffectLexicon parse(std::string_view text) { return AffectLexicon::read(open_memory(text, "lexicon.txt")); }

/// The message of a refused lexicon.
std::string complaint_about(std::string_view text) {
  try {
    parse(text);
  } catch (const UserError& error) {
    return error.what();
  }
  return "taken";
}

TEST(Lexicon, ReadsNrcWithAndWithoutHeader) {
  const auto lexicon = AffectLexicon::load(test::source_folder() / "tests/text/fixtures/nrc-vad-sample.txt");
  EXPECT_EQ(lexicon.size(), 3U);
  ASSERT_NE(lexicon.find("calm"), nullptr);
  EXPECT_EQ(lexicon.find("calm")->arousal, 0.125);
  EXPECT_NE(lexicon.find("ice cream"), nullptr);
  EXPECT_EQ(lexicon.find("storm"), nullptr);

  const auto bare = parse("calm\t0.875\t0.125\t0.5\r\n\r\nFury\t0.125\t0.875\t0.75");
  EXPECT_EQ(bare.size(), 2U);
  EXPECT_EQ(bare.find("fury")->dominance, 0.75);
}

TEST(Lexicon, ReadsWarrinerOntoTheSameScale) {
  const auto lexicon = parse(
      ",Word,V.Mean.Sum,V.SD.Sum,A.Mean.Sum,D.Mean.Sum\n"
      "1,peace,9,0.5,1,5\n"
      "2,\"war, civil\",1,0.5,9,3\n");
  EXPECT_EQ(lexicon.find("peace")->valence, 1);
  EXPECT_EQ(lexicon.find("peace")->arousal, 0);
  EXPECT_EQ(lexicon.find("peace")->dominance, 0.5);
  EXPECT_EQ(lexicon.find("war, civil")->dominance, 0.25);
}

TEST(Lexicon, PrefersTheLowerCaseSpelling) {
  for (const char* rows :
       {"Polish\t0.2\t0.2\t0.2\npolish\t0.5\t0.5\t0.5", "polish\t0.5\t0.5\t0.5\nPolish\t0.2\t0.2\t0.2"}) {
    const auto lexicon = parse(rows);
    EXPECT_EQ(lexicon.size(), 1U);
    EXPECT_EQ(lexicon.find("polish")->valence, 0.5);
  }
}

TEST(Lexicon, AveragesOverKnownWords) {
  const auto lexicon = AffectLexicon::load(test::source_folder() / "tests/text/fixtures/nrc-vad-sample.txt");
  const AffectMean mean = lexicon.mean_of("Calm, calm: then FURY! And ice cream.");
  EXPECT_EQ(mean.words, 7U);
  EXPECT_EQ(mean.known, 3U);
  EXPECT_EQ(mean.mean.valence, (0.875 + 0.875 + 0.125) / 3);
  EXPECT_EQ(mean.mean.dominance, (0.5 + 0.5 + 0.75) / 3);
  EXPECT_EQ(lexicon.mean_of("nothing here").known, 0U);
  EXPECT_EQ(lexicon.mean_of("").mean.valence, 0);
}

TEST(Lexicon, NamesFileAndLineOfABadRow) {
  EXPECT_THAT(complaint_about("calm\t0.8\t0.1\t0.5\nfury\t0.1\t0.8"),
              HasSubstr("lexicon.txt:2: expected 4 tab-separated fields, found 3"));
  EXPECT_THAT(complaint_about("calm\t0.8\t0.1\t0.5\nfury\t0.1\t1.8\t0.5"),
              HasSubstr("lexicon.txt:2: expected a number from 0 to 1, found \"1.8\""));
  EXPECT_THAT(complaint_about("calm\t0.8\tnan\t0.5"), HasSubstr("lexicon.txt:1: expected a number from 0 to 1"));
  EXPECT_THAT(complaint_about("\t0.8\t0.1\t0.5"), HasSubstr("lexicon.txt:1: expected a word"));
  EXPECT_THAT(complaint_about("Word,V.Mean.Sum,A.Mean.Sum,D.Mean.Sum\nx,0.5,2,2"),
              HasSubstr("lexicon.txt:2: expected a number from 1 to 9, found \"0.5\""));
  EXPECT_THAT(complaint_about("calm\t0.8\t0.1\t0.5\ncalm\t0.7\t0.1\t0.5"), HasSubstr("\"calm\" again"));
  EXPECT_THROW(parse("calm\t0.8\t0.1\t0.5\nfury\t0.1\t0.8"), BadRow);
}

TEST(Lexicon, RefusesOtherFiles) {
  EXPECT_THAT(complaint_about("word valence\n"), HasSubstr("expected Word<tab>Valence"));
  EXPECT_THAT(complaint_about("Word,V.Mean.Sum\nx,1"), HasSubstr("Warriner"));
  EXPECT_THAT(complaint_about("\n\n"), HasSubstr("no row at all"));
  EXPECT_THAT(complaint_about("Word\tValence\tArousal\tDominance\n"), HasSubstr("no row at all"));
}

TEST(Lexicon, ReadsAllOfWarriner) {
  GUMPTION_NEEDS_SHARED(path, "data/lexicon/warriner-vad.csv");
  const auto lexicon = AffectLexicon::load(path);
  EXPECT_EQ(lexicon.size(), 13'905U);  // 13,915 rows; ten pairs differ in case only
  EXPECT_DOUBLE_EQ(lexicon.find("aardvark")->valence, (6.26 - 1) / 8);
  EXPECT_GT(lexicon.mean_of("a happy holiday").mean.valence, lexicon.mean_of("a murder").mean.valence);
}

}  // namespace
}  // namespace gumption
