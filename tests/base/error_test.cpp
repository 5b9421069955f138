#include "gumption/base/error.h"

#include <gtest/gtest.h>

namespace gumption {
namespace {

TEST(Error, SaysFileLineExpectedFoundAndAdvice) {
  const Complaint complaint{"dev.jsonl", 7, "a label from 1 to 3", "\"4\"", "Check the label list"};
  EXPECT_EQ(to_message(complaint), "dev.jsonl:7: expected a label from 1 to 3, found \"4\". Check the label list.");
}

TEST(Error, LeavesOutWhatIsEmpty) {
  EXPECT_EQ(to_message({"a.csv", 0, "", "no rows", ""}), "a.csv: no rows.");
  EXPECT_EQ(to_message({"", 3, "a number", "", ""}), "line 3: expected a number.");
}

TEST(Error, BadRowIsAUserErrorThatKeepsItsPlace) {
  try {
    throw BadRow({"x", 2, "y", "z", ""});
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "x:2: expected y, found z.");
    EXPECT_EQ(dynamic_cast<const BadRow&>(error).complaint().line, 2U);
  }
}

TEST(Error, EnsureNamesThePlace) {
  EXPECT_NO_THROW(ensure(true, "fine"));
  try {
    ensure(false, "sums agree");
    FAIL();
  } catch (const InternalError& error) {
    EXPECT_NE(std::string(error.what()).find("sums agree"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("error_test.cpp"), std::string::npos);
  }
}

TEST(Error, QuotesAnythingOntoOneLine) {
  EXPECT_EQ(in_quotes("plain"), "\"plain\"");
  EXPECT_EQ(in_quotes(std::string_view("a\tb\n\0c", 6)), "\"a\\tb\\n\\x00c\"");
  EXPECT_EQ(in_quotes("bad \xFF byte"), "\"bad \uFFFD byte\"");
  EXPECT_EQ(in_quotes("ééé", 4), "\"éé…\"");
  EXPECT_EQ(in_quotes("a\u009b2J"), "\"a\\x9b2J\"");
}

TEST(Error, WhatCouldSteerATerminalIsShown) {
  EXPECT_EQ(printable("Zoë's\ttwo\nlines\u00a0"), "Zoë's\ttwo\nlines\u00a0");
  EXPECT_EQ(printable("a\x1b[2Jb\r\x7f"), "a\\x1b[2Jb\\x0d\\x7f");
  EXPECT_EQ(printable("a\u009b2Jb"), "a\\x9b2Jb");
  EXPECT_EQ(printable(std::string_view("\0\xc2", 2)), "\\x00\uFFFD");
}

}  // namespace
}  // namespace gumption
