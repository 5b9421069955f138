#include "gumption/text/unicode.h"

#include <string>

#include <gtest/gtest.h>

namespace gumption {
namespace {

TEST(Unicode, DecodesEachLength) {
  EXPECT_EQ(decode_point("a").value, U'a');
  EXPECT_EQ(decode_point("é").value, U'é');
  EXPECT_EQ(decode_point("€").value, U'€');
  EXPECT_EQ(decode_point("😀").value, U'😀');
  EXPECT_EQ(decode_point("😀").length, 4U);
}

// The ill-formed sequences of the Unicode standard's chapter 3.9 and RFC 3629.
TEST(Unicode, FindsWhatIsIllFormed) {
  EXPECT_EQ(find_invalid_utf8("plain text, long enough for words of eight"), std::nullopt);
  EXPECT_EQ(find_invalid_utf8("zwölf Boxkämpfer 😀"), std::nullopt);
  EXPECT_EQ(find_invalid_utf8("ab\xFF"), 2U);
  EXPECT_EQ(find_invalid_utf8("\xC0\x80"), 0U);          // overlong NUL
  EXPECT_EQ(find_invalid_utf8("\xE0\x80\x80"), 0U);      // overlong
  EXPECT_EQ(find_invalid_utf8("\xED\xA0\x80"), 0U);      // surrogate
  EXPECT_EQ(find_invalid_utf8("\xF4\x90\x80\x80"), 0U);  // above U+10FFFF
  EXPECT_EQ(find_invalid_utf8("12345678\xE2\x82"), 8U);  // cut off
}

TEST(Unicode, ReplacesMaximalIllFormedParts) {
  EXPECT_EQ(replace_invalid_utf8("a\xF1\x80\x80z"), "a\uFFFDz");
  EXPECT_EQ(replace_invalid_utf8("\xC0\xAF"), "\uFFFD\uFFFD");
  EXPECT_EQ(replace_invalid_utf8("fine"), "fine");
}

TEST(Unicode, NeverReadsBehindTheEnd) {
  for (int lead = 0; lead < 256; ++lead) {
    const std::string text(1, static_cast<char>(lead));
    const DecodedPoint point = decode_point(std::string_view(text.data(), 1));
    EXPECT_EQ(point.length, 1U);
    EXPECT_EQ(point.valid, lead < 0x80);
  }
}

TEST(Unicode, AppendsWhatItDecodes) {
  for (const char32_t point : {U'a', U'ß', U'\u2028', U'\uFFFD', U'\U0010FFFD'}) {
    std::string text;
    append_point(text, point);
    EXPECT_EQ(decode_point(text).value, point);
    EXPECT_EQ(decode_point(text).length, text.size());
  }
}

TEST(Unicode, Lowers) {
  EXPECT_EQ(to_lower("ÀÉ Straße İ"), "àé straße i");
  EXPECT_EQ(to_lower("ΑΒΓ"), "αβγ");
}

TEST(Unicode, SqueezesAndTrims) {
  EXPECT_EQ(squeeze_white_space("  a \t\n b\u00A0\u2003c  "), "a b c");
  EXPECT_EQ(squeeze_white_space(" \u3000 "), "");
  EXPECT_EQ(trim(" \u00A0x y\u2003 "), "x y");
  EXPECT_EQ(trim(" \n "), "");
}

TEST(Unicode, NamesOddCharacters) {
  EXPECT_EQ(oddness_of(U'é'), nullptr);
  EXPECT_EQ(oddness_of(U'\t'), nullptr);
  EXPECT_EQ(oddness_of(U'’'), nullptr);
  EXPECT_STREQ(oddness_of(0x01), "control character");
  EXPECT_STREQ(oddness_of(0x92), "control character");
  EXPECT_STREQ(oddness_of(0xFFFD), "replacement character");
  EXPECT_STREQ(oddness_of(0x200B), "invisible character");
  EXPECT_STREQ(oddness_of(0xE000), "private-use character");
}

}  // namespace
}  // namespace gumption
