#include "gumption/text/sentences.h"

#include <fstream>
#include <iostream>
#include <random>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gumption/base/build_info.h"
#include "gumption/text/unicode.h"

#include "support/support.h"

namespace gumption {
namespace {

using testing::ElementsAre;

std::vector<std::string> split(std::string_view text, SentenceOptions options = {}) {
  std::vector<std::string> sentences;
  for (const Sentence& sentence : sentences_of(text, options)) sentences.emplace_back(sentence.text);
  return sentences;
}

class Sentences : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_feature("sentences")) GTEST_SKIP() << "needs -DGUMPTION_WITH_SENTENCES=ON";
  }
};

TEST_F(Sentences, EndAtMarks) {
  EXPECT_THAT(split("He came. She left! Why? Nobody knew"),
              ElementsAre("He came.", "She left!", "Why?", "Nobody knew"));
  EXPECT_THAT(split("  One line\nand another.\n\n"), ElementsAre("One line", "and another."));
  EXPECT_THAT(split(""), ElementsAre());
  EXPECT_THAT(split(" \n\t "), ElementsAre());
  EXPECT_THAT(split("..."), ElementsAre("..."));
}

TEST_F(Sentences, KeepAbbreviationsAndInitials) {
  EXPECT_THAT(split("Mr. Bennet met Dr. Watson at St. James's. He bowed."),
              ElementsAre("Mr. Bennet met Dr. Watson at St. James's.", "He bowed."));
  EXPECT_THAT(split("H. G. Wells knew J.R.R. Tolkien. Did he?"),
              ElementsAre("H. G. Wells knew J.R.R. Tolkien.", "Did he?"));
  EXPECT_THAT(split("It was room No. 5 on p. 12. No. He lied."),
              ElementsAre("It was room No. 5 on p. 12.", "No.", "He lied."));
  EXPECT_THAT(split("We met at 5 p.m. The sun shone, i.e. It was day."),
              ElementsAre("We met at 5 p.m.", "The sun shone, i.e. It was day."));
  EXPECT_THAT(split("He lived in Baker St. He liked it. Smith & Co. Ltd. failed."),
              ElementsAre("He lived in Baker St.", "He liked it.", "Smith & Co. Ltd. failed."));
  EXPECT_THAT(split("It was I. Nobody else came. The U.S. Army left the U.S. They cheered."),
              ElementsAre("It was I.", "Nobody else came.", "The U.S. Army left the U.S.", "They cheered."));
  EXPECT_THAT(split("1. Open the box. 2. Look."), ElementsAre("1. Open the box.", "2. Look."));
}

TEST_F(Sentences, FollowQuotes) {
  EXPECT_THAT(split("\"Stop!\" he cried. \"I can't,\" said she. \"Why? Tell me.\" He ran."),
              ElementsAre("\"Stop!\" he cried.", "\"I can't,\" said she.", "\"Why?", "Tell me.\"", "He ran."));
  EXPECT_THAT(split("“Where?” Mr. Holmes asked. “There!” I cried. “No?” Alice left."),
              ElementsAre("“Where?” Mr. Holmes asked.", "“There!” I cried.", "“No?”", "Alice left."));
  EXPECT_THAT(split("\"Any brandy?\" I said: \"No.\" \"Well?\" Alice said that she would."),
              ElementsAre("\"Any brandy?\"", "I said: \"No.\"", "\"Well?\"", "Alice said that she would."));
  EXPECT_THAT(split("(It rained.) Then _it stopped!_ We went."),
              ElementsAre("(It rained.)", "Then _it stopped!_", "We went."));
  EXPECT_THAT(split("He stopped. \"and yet\"--he sighed. 'Twas late."),
              ElementsAre("He stopped.", "\"and yet\"--he sighed.", "'Twas late."));
}

TEST_F(Sentences, GoOnInLowerCaseAndAfterDashes) {
  EXPECT_THAT(split("Oh! what a day... and so long! Yes."), ElementsAre("Oh! what a day... and so long!", "Yes."));
  EXPECT_THAT(split("What!--you here? It was . . . Well. And…so. Then… He left."),
              ElementsAre("What!--you here?", "It was . . .", "Well.", "And…so.", "Then…", "He left."));
  EXPECT_THAT(split("It costs 3.50 at example.com. Cheap."), ElementsAre("It costs 3.50 at example.com.", "Cheap."));
}

TEST_F(Sentences, KnowOtherScripts) {
  EXPECT_THAT(split("今日は。元気ですか？はい。"), ElementsAre("今日は。", "元気ですか？", "はい。"));
  EXPECT_THAT(split("Élan vital. Été. «Où?» Ça va."), ElementsAre("Élan vital.", "Été.", "«Où?»", "Ça va."));
  EXPECT_THAT(split("यह है। वह है।"), ElementsAre("यह है।", "वह है।"));
}

TEST_F(Sentences, JoinWrappedLines) {
  const std::string_view text = "A long\r\nline. Next\none.\n \nNew\n\nEnd. ";
  EXPECT_THAT(split(text, {.wrapped_lines = true}), ElementsAre("A long\r\nline.", "Next\none.", "New", "End."));
  EXPECT_EQ(split(text).size(), 6U);
}

struct Boundaries {
  double found = 0;
  double expected = 0;
  double right = 0;
  double precision() const { return right / found; }
  double recall() const { return right / expected; }
  double f1() const { return 2 * right / (found + expected); }
};

std::set<std::size_t> inner_ends(const std::vector<Sentence>& sentences) {
  std::set<std::size_t> ends;
  for (std::size_t i = 0; i + 1 < sentences.size(); ++i) ends.insert(sentences[i].offset + sentences[i].text.size());
  return ends;
}

/// Boundaries inside the paragraphs of a labelled file: one sentence a line, a blank line between paragraphs.
template <class Split>
Boundaries measure(const char* name, const Split& splitter) {
  std::ifstream file(test::source_folder() / "tests/text/fixtures" / name);
  Boundaries result;
  std::string paragraph;
  std::set<std::size_t> ends;
  const auto finish = [&] {
    if (paragraph.empty()) return;
    ends.erase(paragraph.size());
    const auto found = inner_ends(splitter(paragraph));
    result.found += static_cast<double>(found.size());
    result.expected += static_cast<double>(ends.size());
    for (const std::size_t end : found) result.right += ends.count(end) != 0 ? 1 : 0;
    paragraph.clear();
    ends.clear();
  };
  for (std::string line; std::getline(file, line);) {
    if (line.empty()) {
      finish();
      continue;
    }
    if (!paragraph.empty()) paragraph += ' ';
    paragraph += line;
    ends.insert(paragraph.size());
  }
  finish();
  return result;
}

// Both parts were labelled by hand before the rules were written; no rule was changed for an error in the second.
TEST_F(Sentences, AgreeWithLabelledParagraphs) {
  for (const char* name : {"sentences-tuned.txt", "sentences-heldout.txt"}) {
    const Boundaries ours = measure(name, [](std::string_view text) { return sentences_of(text); });
    const Boundaries icu = measure(name, [](std::string_view text) { return icu_sentences_of(text); });
    for (const auto& [label, result] : {std::pair("ours", ours), std::pair("ICU", icu)}) {
      std::cout << name << ", " << label << ": precision " << result.precision() << ", recall " << result.recall()
                << ", F1 " << result.f1() << " of " << result.expected << " boundaries\n";
    }
    EXPECT_GE(ours.f1(), icu.f1());
    EXPECT_GE(ours.f1(), 0.97);
  }
}

// Sentences come in order, without overlap, and nothing but white space is lost.
TEST_F(Sentences, CoverAnyText) {
  std::mt19937 random(7);
  const std::vector<std::string> pieces = {"a",    "B",    ".",  "!", "?",      "…",      " ",    "\n",       "\"",
                                           "'",    "”",    "Mr", "I", "--",     "。",     "\xFF", "\xE2\x80", "9",
                                           "\r\n", "said", "(",  "_", "\u00A0", "\u2028", "é",    ","};
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (auto i = random() % 40; i > 0; --i) text += pieces[random() % pieces.size()];
    for (const bool wrapped : {false, true}) {
      std::size_t end = 0;
      for (const Sentence& sentence : sentences_of(text, {.wrapped_lines = wrapped})) {
        ASSERT_FALSE(sentence.text.empty());
        ASSERT_EQ(sentence.text.data(), text.data() + sentence.offset);
        ASSERT_GE(sentence.offset, end);
        ASSERT_TRUE(trim(std::string_view(text).substr(end, sentence.offset - end)).empty());
        ASSERT_EQ(trim(sentence.text), sentence.text);
        end = sentence.offset + sentence.text.size();
      }
      ASSERT_TRUE(trim(std::string_view(text).substr(end)).empty());
    }
  }
}

}  // namespace
}  // namespace gumption
