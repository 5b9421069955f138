#include "gumption/base/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gumption/base/error.h"

namespace gumption {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

enum class Colour { kRed, kGreen };

struct Sample {
  std::int64_t count = 3;
  std::uint64_t seed = 1;
  double rate = 0.5;
  bool fast = false;
  std::string name = "x";
  std::vector<double> parts = {0.2, 0.8};
  std::vector<std::string> files;
  Colour colour = Colour::kGreen;
};

OptionSet describe(Sample& sample) {
  OptionSet set;
  set.add("count", sample.count, "How many", {1, 10})
      .add("seed", sample.seed, "Seed")
      .add("rate", sample.rate, "Rate", {0, 1})
      .add("fast", sample.fast, "Hurry")
      .add("name", sample.name, "Name")
      .add("parts", sample.parts, "Parts")
      .add("in_file", sample.files, "Files")
      .add_choice<Colour>("colour", sample.colour, "Colour", {{"red", Colour::kRed}, {"green", Colour::kGreen}});
  return set;
}

std::string message_of(const OptionSet& set, const std::string& assignment) {
  try {
    set.assign(assignment);
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Options, TakeTheirDefaultsFromTheStruct) {
  Sample sample;
  const OptionSet set = describe(sample);
  EXPECT_EQ(set.find("count")->default_value, "3");
  EXPECT_EQ(set.find("count")->range, "1 to 10");
  EXPECT_EQ(set.find("rate")->default_value, "0.5");
  EXPECT_EQ(set.find("parts")->default_value, "0.2,0.8");
  EXPECT_EQ(set.find("colour")->default_value, "green");
  EXPECT_EQ(set.find("colour")->kind, "red|green");
  EXPECT_EQ(set.find("in_file")->flag(), "--in-file");
}

TEST(Options, SetTheStruct) {
  Sample sample;
  const OptionSet set = describe(sample);
  for (const char* assignment : {"count=7", "seed=18446744073709551615", "rate=1e-3", "fast=true", "name=a=b",
                                 "parts=.5,.25,.25", "in_file=one", "in_file=two", "colour=red"}) {
    set.assign(assignment);
  }
  EXPECT_EQ(sample.count, 7);
  EXPECT_EQ(sample.seed, 18446744073709551615ULL);
  EXPECT_EQ(sample.rate, 1e-3);
  EXPECT_TRUE(sample.fast);
  EXPECT_EQ(sample.name, "a=b");
  EXPECT_THAT(sample.parts, ElementsAre(.5, .25, .25));
  EXPECT_THAT(sample.files, ElementsAre("one", "two"));
  EXPECT_EQ(sample.colour, Colour::kRed);
}

TEST(Options, SayWhatIsWrong) {
  Sample sample;
  const OptionSet set = describe(sample);
  EXPECT_EQ(message_of(set, "count=11"), "count: expected a whole number of 1 to 10, found \"11\".");
  EXPECT_EQ(message_of(set, "count=2.5"), "count: expected a whole number of 1 to 10, found \"2.5\".");
  EXPECT_EQ(message_of(set, "rate=fast"), "rate: expected a number of 0 to 1, found \"fast\".");
  EXPECT_EQ(message_of(set, "rate=nan"), "rate: expected a number of 0 to 1, found \"nan\".");
  EXPECT_THAT(message_of(set, "colour=gren"), HasSubstr("Did you mean green?"));
  EXPECT_THAT(message_of(set, "coutn=1"), HasSubstr("Did you mean count?"));
  EXPECT_THAT(message_of(set, "zzzzzz=1"), HasSubstr("Known: count, seed"));
  EXPECT_THAT(message_of(set, "count"), HasSubstr("name=value"));
  EXPECT_EQ(sample.count, 3);
}

TEST(Options, NoNameStandsTwice) {
  Sample sample;
  OptionSet set = describe(sample);
  EXPECT_THROW(set.add("count", sample.count, "Again"), InternalError);
  EXPECT_THROW(set.add_all(describe(sample)), InternalError);
}

TEST(Options, SplitsText) {
  EXPECT_THAT(split_text("a,,b", ','), ElementsAre("a", "", "b"));
  EXPECT_THAT(split_text("", ','), ElementsAre(""));
}

TEST(Options, ParsesWholeNumbersOnly) {
  EXPECT_EQ(parse_integer("12"), 12);
  EXPECT_EQ(parse_integer("12 "), std::nullopt);
  EXPECT_EQ(parse_integer(""), std::nullopt);
  EXPECT_EQ(parse_integer("99999999999999999999"), std::nullopt);
  EXPECT_EQ(parse_number("1e3"), 1000.0);
}

}  // namespace
}  // namespace gumption
