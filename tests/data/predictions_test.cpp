#include "gumption/data/predictions.h"

#include <gtest/gtest.h>

#include "gumption/base/error.h"

namespace gumption {
namespace {

TEST(Predictions, AreWrittenAsLeaderboardsTakeThem) {
  const Prediction prediction{"17", 1, 2};
  EXPECT_EQ(prediction_line("copa-responses", prediction), "17 0 1\n");
  EXPECT_EQ(prediction_line("labels-from-0", prediction), "1\n");
  EXPECT_EQ(prediction_line("labels-from-1", prediction), "2\n");
  EXPECT_EQ(prediction_line("superglue", prediction), "{\"idx\":17,\"label\":1}\n");
  EXPECT_EQ(prediction_header("csv") + prediction_line("csv", {"a,b", 0, 4}), "id,choice\n\"a,b\",0\n");
  EXPECT_THROW(prediction_line("lst", prediction), UserError);
  EXPECT_THROW(prediction_line("copa-responses", {"a b", 0, 2}), UserError);
}

}  // namespace
}  // namespace gumption
