#include "gumption/base/line_reader.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gumption/base/error.h"
#include "gumption/base/random.h"

namespace gumption {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> lines_of(std::string_view text) {
  LineReader reader(open_memory(text, "memory"));
  std::vector<std::string> lines;
  std::string_view line;
  while (reader.next(line)) lines.emplace_back(line);
  EXPECT_EQ(reader.line_number(), lines.size());
  return lines;
}

TEST(LineReader, EndsOfLines) {
  EXPECT_THAT(lines_of(""), ElementsAre());
  EXPECT_THAT(lines_of("a\nb\n"), ElementsAre("a", "b"));
  EXPECT_THAT(lines_of("a\r\n\r\nb"), ElementsAre("a", "", "b"));
  EXPECT_THAT(lines_of("\n\n"), ElementsAre("", ""));
}

TEST(LineReader, DropsAByteOrderMarkAtTheStartOnly) {
  EXPECT_THAT(lines_of("\xEF\xBB\xBFone\n\xEF\xBB\xBFtwo"), ElementsAre("one", "\xEF\xBB\xBFtwo"));
}

TEST(LineReader, RefusesUtf16) {
  try {
    lines_of("\xFF\xFEh\0i\0");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("UTF-16"));
  }
}

TEST(LineReader, RefusesEndlessLines) {
  const std::string text(3'000'000, 'x');
  LineReader reader(open_memory(text, "big.txt"), 1'000'000);
  std::string_view line;
  try {
    reader.next(line);
    FAIL();
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("big.txt:1: expected lines of at most 1000000 bytes"));
  }
}

TEST(LineReader, GivesBackAnyText) {
  RandomStream random(11);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::string> expected(random.below(200) + 1);
    std::string text;
    for (auto& line : expected) {
      line.assign(random.below(round == 0 ? 900'000 : 5'000), static_cast<char>('a' + random.below(26)));
      text += line + "\n";
    }
    EXPECT_EQ(lines_of(text), expected);
  }
}

}  // namespace
}  // namespace gumption
