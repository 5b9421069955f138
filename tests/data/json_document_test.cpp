#include "gumption/data/json_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gumption/base/line_reader.h"

namespace gumption {
namespace {

/// Parses with the padding that a line reader gives.
class JsonText {
 public:
  explicit JsonText(std::string text) : size_(text.size()), text_(std::move(text)) {
    text_.resize(size_ + LineReader::kPadding);
  }
  bool parse() { return document.parse(std::string_view(text_.data(), size_), error); }
  JsonDocument document;
  std::string error;

 private:
  std::size_t size_;
  std::string text_;
};

TEST(JsonDocument, GivesBackWhatStandsThere) {
  const std::string text =
      R"({"a":"é\n","b":[1,-2.5,true,null,[],{}],"c":{"d":[{"e":"f"},{"g":[1]}],"h":"i"},"j":12345678901})";
  JsonText json(text);
  ASSERT_TRUE(json.parse()) << json.error;
  EXPECT_EQ(json.document.root().to_json(), text);
  EXPECT_EQ(json.document.root().size(), 4U);
}

TEST(JsonDocument, WalksMembersInOrder) {
  JsonText json(R"({"x":1,"y":"two"})");
  ASSERT_TRUE(json.parse());
  std::vector<std::string> keys;
  for (const JsonValue member : json.document.root()) keys.emplace_back(member.key());
  EXPECT_THAT(keys, testing::ElementsAre("x", "y"));
}

TEST(JsonDocument, RefusesWhatIsNoJson) {
  for (const char* text : {"", "{", "{\"a\":}", "nul", "{\"a\":1}}", "{'a':1}", "[1,]", "\"\x01\"", "\"\xFF\"", "01"}) {
    JsonText json(text);
    EXPECT_FALSE(json.parse()) << text;
    EXPECT_NE(json.error, "") << text;
  }
}

TEST(JsonDocument, NestingIsBounded) {
  JsonText fine(std::string(50, '[') + std::string(50, ']'));
  EXPECT_TRUE(fine.parse());
  for (const std::size_t depth : {70U, 2000U, 100000U}) {
    JsonText deep(std::string(depth, '[') + std::string(depth, ']'));
    EXPECT_FALSE(deep.parse());
    EXPECT_THAT(deep.error, testing::HasSubstr("deep"));
  }
}

}  // namespace
}  // namespace gumption
