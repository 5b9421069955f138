#include "gumption/text/stems.h"

#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "gumption/base/build_info.h"

namespace gumption {
namespace {

std::string stem_of(StemAlgorithm algorithm, std::string_view word) {
  return std::string(Stemmer(algorithm).stem(word));
}

class Stems : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_feature("stems")) GTEST_SKIP() << "needs -DGUMPTION_WITH_STEMS=ON";
  }
};

// The examples of Porter's paper (1980), one for each step.
TEST_F(Stems, PorterFollowsThePaper) {
  const auto porter = [](std::string_view word) { return stem_of(StemAlgorithm::kPorter, word); };
  EXPECT_EQ(porter("caresses"), "caress");
  EXPECT_EQ(porter("ponies"), "poni");
  EXPECT_EQ(porter("plastered"), "plaster");
  EXPECT_EQ(porter("hopping"), "hop");
  EXPECT_EQ(porter("happy"), "happi");
  EXPECT_EQ(porter("relational"), "relat");
  EXPECT_EQ(porter("electriciti"), "electr");
  EXPECT_EQ(porter("adjustment"), "adjust");
  EXPECT_EQ(porter("controll"), "control");
  EXPECT_EQ(porter("generalizations"), "gener");
}

TEST_F(Stems, EnglishDiffersWhereItWasRevised) {
  const auto english = [](std::string_view word) { return stem_of(StemAlgorithm::kEnglish, word); };
  EXPECT_EQ(english("generously"), "generous");
  EXPECT_EQ(stem_of(StemAlgorithm::kPorter, "generously"), "gener");
  EXPECT_EQ(english("dying"), "die");
  EXPECT_EQ(stem_of(StemAlgorithm::kPorter, "dying"), "dy");
  EXPECT_EQ(english("skies"), "sky");
}

TEST_F(Stems, TakeAnyBytes) {
  EXPECT_EQ(stem_of(StemAlgorithm::kEnglish, ""), "");
  EXPECT_EQ(stem_of(StemAlgorithm::kEnglish, "naïve"), "naïv");
  EXPECT_NO_THROW(stem_of(StemAlgorithm::kPorter, "\xFFing\xC3"));
  EXPECT_EQ(stem_of(StemAlgorithm::kPorter, std::string(100'000, 'x') + "ing").size(), 100'003U);
}

TEST_F(Stems, OneStemmerForEachThread) {
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  for (int& count : wrong) {
    threads.emplace_back([&count] {
      Stemmer stemmer(StemAlgorithm::kEnglish);
      for (int i = 0; i < 1000; ++i) count += stemmer.stem("running") == "run" ? 0 : 1;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

}  // namespace
}  // namespace gumption
