#include "gumption/data/table_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gumption/base/error.h"
#include "gumption/base/random.h"

namespace gumption {
namespace {

using testing::ElementsAre;

std::vector<std::vector<std::string>> records_of(std::string_view text, char separator = ',') {
  TableReader reader(open_memory(text, "table"), {.separator = separator, .has_header = false});
  std::vector<std::vector<std::string>> records;
  std::vector<std::string> fields;
  while (reader.next(fields)) records.push_back(fields);
  return records;
}

TEST(TableReader, QuotesAndLineEnds) {
  EXPECT_THAT(records_of("a,b\r\n\"c,\"\"d\"\"\",\n\n\"e\nf\",g\n"),
              ElementsAre(ElementsAre("a", "b"), ElementsAre("c,\"d\"", ""), ElementsAre("e\nf", "g")));
  EXPECT_THAT(records_of("a\tsays \"hi\"\t\"x\ty\"", '\t'), ElementsAre(ElementsAre("a", "says \"hi\"", "x\ty")));
  EXPECT_THAT(records_of(",,"), ElementsAre(ElementsAre("", "", "")));
}

TEST(TableReader, GoesOnAfterABadRecord) {
  TableReader reader(open_memory("\"a\"b,c\nd,e\n", "table"), {.has_header = false});
  std::vector<std::string> fields;
  EXPECT_THROW(reader.next(fields), BadRow);
  ASSERT_TRUE(reader.next(fields));
  EXPECT_THAT(fields, ElementsAre("d", "e"));
  EXPECT_EQ(reader.line_number(), 2U);
}

TEST(TableReader, ReadsWhatIsWritten) {
  RandomStream random(9);
  const std::string alphabet = "ab,\"\n\t ";
  for (int round = 0; round < 500; ++round) {
    std::vector<std::string> fields(random.below(4) + 2);
    for (auto& field : fields) {
      for (std::size_t i = random.below(6); i > 0; --i) field += alphabet[random.below(alphabet.size())];
    }
    for (const char separator : {',', '\t'}) {
      std::string text;
      append_record(text, fields, separator);
      EXPECT_THAT(records_of(text, separator), ElementsAre(fields)) << text;
    }
  }
}

}  // namespace
}  // namespace gumption
