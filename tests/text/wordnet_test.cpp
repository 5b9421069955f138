#include "gumption/text/wordnet.h"

#include <cstdlib>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gumption/base/error.h"
#include "gumption/base/options.h"

#include "support/support.h"

namespace gumption {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

#define GUMPTION_NEEDS_WORDNET(variable)                                                        \
  if (!WordNet::find_folder()) GTEST_SKIP() << "needs WordNet's files (Debian's wordnet-base)"; \
  const WordNet variable = WordNet::open()

PartOfSpeech part_named(std::string_view letter) {
  if (letter == "n") return PartOfSpeech::kNoun;
  if (letter == "v") return PartOfSpeech::kVerb;
  return letter == "a" ? PartOfSpeech::kAdjective : PartOfSpeech::kAdverb;
}

/// What the reader answers to one line of the fixture.
std::string answer(const WordNet& wordnet, std::string_view kind, std::string_view word, PartOfSpeech part) {
  std::vector<std::string> words;
  if (kind == "forms") words = wordnet.lemmas(word, part);
  if (kind == "syns") words = wordnet.synonyms(word, part);
  if (kind == "hype") words = wordnet.related(word, part, Relation::kHypernym);
  if (kind == "caus") words = wordnet.related(word, part, Relation::kCause);
  if (kind == "enta") words = wordnet.related(word, part, Relation::kEntailment);
  return fmt::format("{}", fmt::join(words, "|"));
}

TEST(WordNet, AgreesWithItsOwnProgram) {
  GUMPTION_NEEDS_WORDNET(wordnet);
  std::ifstream fixture(test::source_folder() / "tests/text/fixtures/wordnet.tsv");
  int checked = 0;
  for (std::string line; std::getline(fixture, line); ++checked) {
    const auto fields = split_text(line, '\t');
    ASSERT_EQ(fields.size(), 4U) << line;
    EXPECT_EQ(answer(wordnet, fields[0], fields[1], part_named(fields[2])), fields[3]) << line;
  }
  EXPECT_EQ(checked, 269);
}

TEST(WordNet, TakesEveryRuleAsNltkDoes) {
  GUMPTION_NEEDS_WORDNET(wordnet);
  EXPECT_THAT(wordnet.lemmas("planed", PartOfSpeech::kVerb), ElementsAre("plane"));
  EXPECT_THAT(wordnet.lemmas("planed", PartOfSpeech::kVerb, Morphology::kNltk), ElementsAre("plane", "plan"));
  EXPECT_THAT(wordnet.lemmas("better", PartOfSpeech::kAdverb, Morphology::kNltk), ElementsAre("better", "well"));
  EXPECT_THAT(wordnet.lemmas(std::string(2000, 's'), PartOfSpeech::kNoun, Morphology::kNltk), ElementsAre("sss"));
}

TEST(WordNet, ReadsASynset) {
  GUMPTION_NEEDS_WORDNET(wordnet);
  const auto senses = wordnet.senses("Hot Dog", PartOfSpeech::kNoun);
  ASSERT_FALSE(senses.empty());
  EXPECT_EQ(senses, wordnet.senses("hot_dog", PartOfSpeech::kNoun));
  const Synset snore = wordnet.synset(wordnet.senses("snore", PartOfSpeech::kVerb).at(0));
  EXPECT_THAT(snore.lemmas, ElementsAre("snore", "saw wood", "saw logs"));
  EXPECT_THAT(snore.gloss, HasSubstr("breathe noisily during one's sleep"));
  EXPECT_THAT(snore.pointers, Contains(testing::Field(&SynsetPointer::relation, Relation::kEntailment)));
}

TEST(WordNet, StripsAdjectiveMarkers) {
  GUMPTION_NEEDS_WORDNET(wordnet);
  for (const SynsetId& sense : wordnet.senses("asleep", PartOfSpeech::kAdjective)) {
    EXPECT_THAT(wordnet.synset(sense).lemmas, Contains("asleep"));
  }
}

TEST(WordNet, KnowsNothingOfOddWords) {
  GUMPTION_NEEDS_WORDNET(wordnet);
  for (const char* word : {"", " ", "_", "-", "1", "~~~~", "\xFF\xFE", "the quick brown fox", "\n"}) {
    for (const auto part : {PartOfSpeech::kVerb, PartOfSpeech::kAdverb}) {
      EXPECT_THAT(wordnet.senses(word, part), IsEmpty()) << word;
      EXPECT_THAT(wordnet.lemmas(word, part), IsEmpty()) << word;
    }
  }
}

/// A whole WordNet of three words, to break.
struct TinyWordNet {
  TinyWordNet() {
    for (const char* part : {"noun", "verb", "adj", "adv"}) {
      for (const std::string& name :
           {std::string("index.") + part, std::string("data.") + part, part + std::string(".exc")}) {
        folder.write(name, "");
      }
    }
    folder.write("index.noun", "  1 licence\nboy n 1 0 1 0 00000000  \nman n 1 1 @ 1 0 00000043  \n");
    folder.write(
        "data.noun",
        "00000000 18 n 01 boy 0 000 | a young man  \n00000043 18 n 01 man 0 001 @ 00000000 n 0000 | a male  \n");
    folder.write("noun.exc", "men man\n");
  }

  test::TemporaryFolder folder;
};

std::string complaint_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const UserError& error) {
    return error.what();
  }
  return "none";
}

TEST(WordNet, ReadsATinyOne) {
  const TinyWordNet tiny;
  const WordNet wordnet(tiny.folder.path());
  EXPECT_THAT(wordnet.lemmas("MEN", PartOfSpeech::kNoun), ElementsAre("man"));
  EXPECT_THAT(wordnet.lemmas("boys", PartOfSpeech::kNoun), ElementsAre("boy"));
  EXPECT_THAT(wordnet.related("man", PartOfSpeech::kNoun, Relation::kHypernym), ElementsAre("boy"));
  EXPECT_THAT(wordnet.senses("licence", PartOfSpeech::kNoun), IsEmpty());
}

TEST(WordNet, SaysWhatIsMissing) {
  const TinyWordNet tiny;
  std::filesystem::remove(tiny.folder / "verb.exc");
  const auto message = complaint_of([&] { WordNet wordnet(tiny.folder.path()); });
  EXPECT_THAT(message, HasSubstr("no verb.exc"));
  EXPECT_THAT(message, HasSubstr("wordnet-base"));
}

TEST(WordNet, SaysWhatIsBroken) {
  const TinyWordNet tiny;
  const auto senses = [&](const char* index) {
    tiny.folder.write("index.noun", index);
    return complaint_of([&] { WordNet(tiny.folder.path()).related("man", PartOfSpeech::kNoun, Relation::kHypernym); });
  };
  EXPECT_THAT(senses("man n 2 0 2 0 00000043\n"), HasSubstr("expected a synset's position, found the end of the line"));
  EXPECT_THAT(senses("man n x\n"), HasSubstr("expected a number of senses, found \"x\" near byte 7"));
  EXPECT_THAT(senses("man q 1 0 1 0 00000043\n"), HasSubstr("expected a part of speech"));
  EXPECT_THAT(senses("man n 4000000000 0 1 0 00000043\n"), HasSubstr("the end of the line"));
  EXPECT_THAT(senses("man n 1 0 1 0 00000046\n"), HasSubstr("expected a synset at byte 46"));
  EXPECT_THAT(senses("man n 1 0 1 0 99999999\n"), HasSubstr("expected a synset at byte 99999999"));
}

}  // namespace
}  // namespace gumption
