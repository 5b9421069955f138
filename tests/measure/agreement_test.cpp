#include "gumption/measure/agreement.h"

#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "gumption/base/error.h"
#include "gumption/data/table_reader.h"

#include "support/support.h"

namespace gumption {
namespace {

using testing::HasSubstr;

Ratings ratings_of(const std::string& rows) { return read_ratings(open_memory("rater,item,label\n" + rows, "f.csv")); }

std::string complaint_of(const std::string& text) {
  try {
    read_ratings(open_memory(text, "f.csv"));
  } catch (const UserError& error) {
    return error.what();
  }
  return "no complaint";
}

// Values of scikit-learn, statsmodels, irrCAC and krippendorff; fixtures/make_agreement.py made them.
TEST(Agreement, MatchesOtherPrograms) {
  const auto cases =
      nlohmann::json::parse(test::read_bytes(test::source_folder() / "tests/measure/fixtures/agreement.json"));
  ASSERT_EQ(cases.size(), 4U);
  for (const auto& expected : cases) {
    SCOPED_TRACE(expected["name"]);
    std::string rows;
    for (const auto& rating : expected["ratings"]) append_record(rows, rating, ',');
    const Ratings ratings = ratings_of(rows);
    const auto pairs = cohens_kappas(ratings);
    ASSERT_EQ(pairs.size(), expected["pairs"].size());
    std::map<std::pair<std::string, std::string>, RaterPair> by_name;
    for (const RaterPair& pair : pairs) {
      by_name[std::minmax(ratings.raters[pair.first], ratings.raters[pair.second])] = pair;
    }
    double sum = 0;
    for (const auto& wanted : expected["pairs"]) {
      const RaterPair& pair = by_name.at({wanted["first"], wanted["second"]});
      EXPECT_EQ(pair.items, wanted["items"]);
      EXPECT_NEAR(pair.kappa.value(), wanted["kappa"], 1e-12);
      sum += wanted["kappa"].get<double>();
    }
    EXPECT_NEAR(mean_kappa(pairs).value(), sum / static_cast<double>(pairs.size()), 1e-12);
    EXPECT_NEAR(krippendorff_alpha(ratings).value(), expected["krippendorff"], 1e-12);
    EXPECT_NEAR(fleiss_kappa(ratings).value(), expected["fleiss"], 1e-11);  // irrCAC rounds to 12 places
    if (expected.contains("fleiss_statsmodels")) {
      EXPECT_NEAR(fleiss_kappa(ratings).value(), expected["fleiss_statsmodels"], 1e-12);
    }
  }
}

// Two raters and four items: they agree on three. A says x x y y, B says x x y x: chance is (2·3 + 2·1)/16 = 1/2.
TEST(Agreement, ByHand) {
  const Ratings ratings = ratings_of("A,1,x\nA,2,x\nA,3,y\nA,4,y\nB,1,x\nB,2,x\nB,3,y\nB,4,x\n");
  EXPECT_NEAR(mean_kappa(cohens_kappas(ratings)).value(), (0.75 - 0.5) / (1 - 0.5), 1e-12);
  // Labels in all: 5 x and 3 y of 8. Fleiss' chance: (25 + 9)/64.
  EXPECT_NEAR(fleiss_kappa(ratings).value(), (0.75 - 34.0 / 64) / (1 - 34.0 / 64), 1e-12);
  // Krippendorff: 2 differing ordered pairs of 8 values; by chance 64 - 34 = 30 over 7.
  EXPECT_NEAR(krippendorff_alpha(ratings).value(), 1 - 7 * 2.0 / 30, 1e-12);
}

TEST(Agreement, OrderOfRowsDoesNotMatter) {
  const Ratings one = ratings_of("A,1,x\nB,1,y\nA,2,x\nB,2,x\nC,2,y\n");
  const Ratings other = ratings_of("C,2,y\nB,2,x\nA,2,x\nB,1,y\nA,1,x\n");
  EXPECT_NEAR(*mean_kappa(cohens_kappas(one)), *mean_kappa(cohens_kappas(other)), 1e-12);
  EXPECT_NEAR(*fleiss_kappa(one), *fleiss_kappa(other), 1e-12);
  EXPECT_NEAR(*krippendorff_alpha(one), *krippendorff_alpha(other), 1e-12);
}

TEST(Agreement, FullAgreementIsOne) {
  const Ratings ratings = ratings_of("A,1,x\nB,1,x\nA,2,y\nB,2,y\n");
  EXPECT_DOUBLE_EQ(mean_kappa(cohens_kappas(ratings)).value(), 1);
  EXPECT_DOUBLE_EQ(fleiss_kappa(ratings).value(), 1);
  EXPECT_DOUBLE_EQ(krippendorff_alpha(ratings).value(), 1);
}

TEST(Agreement, OneLabelThroughoutHasNoValue) {
  const Ratings ratings = ratings_of("A,1,x\nB,1,x\nA,2,x\nB,2,x\n");
  EXPECT_FALSE(mean_kappa(cohens_kappas(ratings)));
  EXPECT_FALSE(fleiss_kappa(ratings));
  EXPECT_FALSE(krippendorff_alpha(ratings));
}

TEST(Agreement, AnEmptyLabelIsAMissingRating) {
  const Ratings ratings = ratings_of("A,1,x\nB,1,y\nC,1,\nA,2,x\nC,3,\n");
  EXPECT_EQ(ratings.count, 3U);
  EXPECT_EQ(ratings.raters.size(), 2U);
  EXPECT_EQ(ratings.items.size(), 2U);
}

TEST(Agreement, SaysWhatIsWrong) {
  EXPECT_THAT(complaint_of("rater,item,label\nA,1,x\nA,1,y\n"),
              HasSubstr("f.csv:3: expected one rating of an item by each rater, found a second one of \"1\" by \"A\""));
  EXPECT_THAT(complaint_of("rater,item,label\nA,1,x\nB,2,y\n"), HasSubstr("expected items that two raters or more"));
  EXPECT_THAT(complaint_of("rater,item,label\n"), HasSubstr("found no ratings"));
  EXPECT_THAT(complaint_of("rater,item,label\nA,1\n"), HasSubstr("f.csv:2: expected 3 fields, found 2"));
  EXPECT_THAT(complaint_of("rater,item,label\n,1,x\n"), HasSubstr("f.csv:2: expected a rater and an item"));
  EXPECT_THAT(complaint_of("rater,thing,label\nA,1,x\n"), HasSubstr("expected a column \"item\""));
}

}  // namespace
}  // namespace gumption
