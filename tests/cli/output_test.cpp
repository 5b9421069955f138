#include "cli/output.h"

#include <gtest/gtest.h>

#include "support/shell.h"

namespace gumption::cli {
namespace {

TEST(Output, GroupsDigitsByThousands) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1000), "1,000");
  EXPECT_EQ(with_commas(12'345'678), "12,345,678");
  EXPECT_EQ(with_commas(0.04, 1), "0.0");
  EXPECT_EQ(with_commas(999.96, 1), "1,000.0");
  EXPECT_EQ(with_commas(12'345.25, 2), "12,345.25");
  EXPECT_EQ(with_commas(12'345.0, 0), "12,345");
}

TEST(Output, CountsOneAsOne) {
  EXPECT_EQ(counted(0, "step", "steps"), "0 steps");
  EXPECT_EQ(counted(1, "step", "steps"), "1 step");
  EXPECT_EQ(counted(1234, "step", "steps"), "1,234 steps");
}

TEST(Output, ShellLinesComeApartAgain) {
  EXPECT_EQ(shell_line({"gumption", "train", "--lr", "1e-3", "--set", "clip=0"}),
            "gumption train --lr 1e-3 --set clip=0");
  const std::vector<std::string> words = {"printf", "<%s>", "",       "two words", "it's",
                                          "$HOME",  "`ls`", "a\\b\n", "*",         "ä"};
  EXPECT_EQ(test::run("sh", {"-c", shell_line(words)}).out, "<><two words><it's><$HOME><`ls`><a\\b\n><*><ä>");
}

}  // namespace
}  // namespace gumption::cli
