#include "gumption/measure/effect.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gumption/base/error.h"

namespace gumption {
namespace {

using testing::HasSubstr;

GroupDifference effect_of(const std::string& text) { return measure_effect(open_memory(text, "f.csv")); }

std::string complaint_of(const std::string& text) {
  try {
    effect_of(text);
  } catch (const UserError& error) {
    return error.what();
  }
  return "no complaint";
}

TEST(Effect, ByHand) {
  // Means 5 and 3, squared distances 20 and 20: d = 2 / sqrt(40 / 6).
  const auto result = effect_of("group,value\nx,2\ny,0\nx,4\nx,6\nx,8\ny,2\ny,4\ny,6\n");
  EXPECT_EQ(result.first.name, "x");
  EXPECT_EQ(result.second.name, "y");
  EXPECT_DOUBLE_EQ(result.first.values.mean, 5);
  EXPECT_NEAR(result.effect.d, 0.774597, 1e-6);
}

TEST(Effect, OtherColumnsMayStandBesides) {
  EXPECT_GT(effect_of("value,note,group\n3,,b\n4,,b\n1,,a\n2,,a\n").effect.d, 0);
}

TEST(Effect, SaysWhatIsWrong) {
  EXPECT_THAT(complaint_of("group,value\nx,1\nx,two\n"),
              HasSubstr("f.csv:3: expected a number as value, found \"two\""));
  EXPECT_THAT(complaint_of("group,value\nx,nan\n"), HasSubstr("expected a number as value"));
  EXPECT_THAT(complaint_of("group,value\nx,1\ny,2\nz,3\n"), HasSubstr("f.csv:4: expected one of the groups"));
  EXPECT_THAT(complaint_of("group,value\nx,1\nx,2\n"), HasSubstr("expected values of two groups, found one group"));
  EXPECT_THAT(complaint_of("group,value\nx,1\nx,2\ny,1\n"), HasSubstr("found one in \"y\""));
  EXPECT_THAT(complaint_of("group,value\nx,1\nx,1\ny,2\ny,2\n"), HasSubstr("expected values that vary"));
  EXPECT_THAT(complaint_of("group,value\nx\n"), HasSubstr("f.csv:2: expected 2 fields, found 1"));
  EXPECT_THAT(complaint_of("a,b\n"), HasSubstr("expected a column \"group\""));
  EXPECT_THAT(complaint_of(""), HasSubstr("empty file"));
}

}  // namespace
}  // namespace gumption
