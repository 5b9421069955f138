#include "gumption/systems/hits_systems.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gumption/base/error.h"
#include "gumption/corpus/hits_index.h"
#include "gumption/systems/registry.h"

#include "support/support.h"

namespace gumption {
namespace {

namespace fs = std::filesystem;

TEST(HitCorrelation, FollowsTheFormulas) {
  const PairHits hits{4, 2, 1};
  // log2(16 · 1 / (4 · 2)) = 1, and 2 · 1 / (4 + 2) = 1/3.
  EXPECT_DOUBLE_EQ(*correlation(hits, 16, HitStatistic::kPmi, ZeroHits::kZero), 1);
  EXPECT_DOUBLE_EQ(*correlation(hits, 16, HitStatistic::kDice, ZeroHits::kSkip), 1. / 3);
  // One more of everything: log2(17 · 2 / (5 · 3)), 2 · 2 / (5 + 3).
  EXPECT_DOUBLE_EQ(*correlation(hits, 16, HitStatistic::kPmi, ZeroHits::kSmooth), std::log2(34. / 15));
  EXPECT_DOUBLE_EQ(*correlation(hits, 16, HitStatistic::kDice, ZeroHits::kSmooth), .5);
}

TEST(HitCorrelation, OfPairsInNoDocument) {
  for (const auto statistic : {HitStatistic::kPmi, HitStatistic::kDice}) {
    EXPECT_EQ(correlation({0, 0, 0}, 16, statistic, ZeroHits::kZero), 0);
    EXPECT_EQ(correlation({4, 2, 0}, 16, statistic, ZeroHits::kSkip), std::nullopt);
  }
  EXPECT_DOUBLE_EQ(*correlation({4, 2, 0}, 16, HitStatistic::kPmi, ZeroHits::kSmooth), std::log2(17. / 15));
  EXPECT_DOUBLE_EQ(*correlation({0, 0, 0}, 16, HitStatistic::kDice, ZeroHits::kSmooth), 1);
}

class HitsSystems : public testing::Test {
 protected:
  HitsSystems() {
    const std::vector<fs::path> inputs = {folder_.write("text",
                                                        "rain made the street wet\n"
                                                        "the rain fell and the street was wet\n"
                                                        "street music\n"
                                                        "music\n")};
    build_hit_index(inputs, {.documents = HitDocuments::kLine}, folder_ / "index");
    question_.id = "1";
    question_.context = "The rain.";
    question_.choices = {"It was music.", "The wet street!"};
  }

  std::vector<double> scores(const std::string& system, const std::vector<std::string>& settings) const {
    const auto setup = system_entry(system).setup();
    const OptionSet options = setup->describe();
    options.set("index", (folder_ / "index").string());
    for (const std::string& setting : settings) options.assign(setting);
    const std::vector<Question> questions = {question_};
    return setup->make()->answer(questions).front().scores;
  }

  test::TemporaryFolder folder_;
  Question question_;
};

TEST_F(HitsSystems, PairsAreAveragedOverContentWords) {
  // Of 4 documents rain is in 2, music in 2, wet in 2, street in 3; rain with music in 0, wet in 2, street in 2.
  const double rain_wet = std::log2(4. * 2 / (2 * 2));
  const double rain_street = std::log2(4. * 2 / (2 * 3));
  EXPECT_THAT(scores("hits-pair", {}), testing::ElementsAre(0, (rain_wet + rain_street) / 2));
  EXPECT_THAT(scores("hits-pair", {"statistic=dice"}), testing::ElementsAre(0, (1 + 4. / 5) / 2));
}

TEST_F(HitsSystems, TextsMatchAsAsked) {
  // Rain in 2 documents, wet and street in 2, all in 2; "the rain" in 1, "the wet street" in 0.
  EXPECT_THAT(scores("hits-phrase", {"match=content-words"}), testing::ElementsAre(0, std::log2(4. * 2 / (2 * 2))));
  EXPECT_THAT(scores("hits-phrase", {"match=phrase"}), testing::ElementsAre(0, 0));
  // The, rain in 2 documents; the, wet, street in 2; all in 2.
  EXPECT_THAT(scores("hits-phrase", {"match=words", "statistic=dice"}), testing::ElementsAre(0, 1));
}

TEST_F(HitsSystems, TheQuestionStandsInForAMissingContext) {
  question_.question = question_.context;
  question_.context.clear();
  EXPECT_GT(scores("hits-pair", {})[1], 0);
}

TEST_F(HitsSystems, TextsWithoutContentWordsScoreZero) {
  question_.choices = {"", "It was.", "..."};
  for (const char* system : {"hits-pair", "hits-phrase"}) {
    EXPECT_THAT(scores(system, {"zero=smooth"}), testing::ElementsAre(0, 0, 0)) << system;
  }
  EXPECT_EQ(scores("hits-phrase", {"zero=smooth", "match=words"})[2], 0);
}

TEST_F(HitsSystems, NeedASource) {
  EXPECT_THROW(scores("hits-pair", {"endpoint=http://127.0.0.1:1"}), UserError);
  EXPECT_THROW(HitsPairSystem({}).answer({}), UserError);
  HitsPhraseOptions nameless;
  nameless.source.endpoint.address = "http://127.0.0.1:1";
  EXPECT_THROW(HitsPhraseSystem(nameless).answer({}), UserError);
}

}  // namespace
}  // namespace gumption
