#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gumption/data/event_format.h"
#include "gumption/data/statistics.h"

#include "data_support.h"
#include "support/support.h"

namespace gumption {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Events : public testing::Test {
 protected:
  std::vector<Event> read(const std::string& name, const std::string& text) {
    std::vector<Event> events;
    format_ = for_each_event(folder_.write(name, text), {}, [&](const Event& event) { events.push_back(event); }).name;
    return events;
  }

  test::TemporaryFolder folder_;
  std::string format_;
};

TEST_F(Events, AtomicV4TellsNoneFromNothing) {
  const auto events = read("v4.csv",
                           "event,oEffect,oReact,oWant,xAttr,xEffect,xIntent,xNeed,xReact,xWant,prefix,split\n"
                           "PersonX pays,[],\"[\"\"none\"\"]\",[],\"[\"\"kind\"\", "
                           "\"\"rich\"\"]\",[],[],[],[],[],\"[\"\"PersonX\"\"]\",trn\n");
  EXPECT_EQ(format_, "atomic-v4");
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].text, "PersonX pays");
  EXPECT_EQ(events[0].split, "trn");
  EXPECT_THAT(*values_of(events[0], "oEffect"), IsEmpty());
  EXPECT_THAT(*values_of(events[0], "oReact"), ElementsAre("none"));
  EXPECT_THAT(*values_of(events[0], "xAttr"), ElementsAre("kind", "rich"));
}

TEST_F(Events, Atomic2020InBothForms) {
  const auto grouped = read("a.tsv", "PersonX pays @@ xNeed\tto have money| none| to be there\r\n");
  EXPECT_EQ(format_, "atomic-2020");
  EXPECT_EQ(grouped.at(0).text, "PersonX pays");
  EXPECT_THAT(*values_of(grouped[0], "xNeed"), ElementsAre("to have money", "none", "to be there"));
  const auto plain = read("b.tsv", "PersonX pays\txNeed\tto have money\n");
  EXPECT_THAT(*values_of(plain.at(0), "xNeed"), ElementsAre("to have money"));
}

TEST_F(Events, Event2Mind) {
  const auto events = read("e.csv",
                           "Source,Event,Xintent,Xemotion,Otheremotion,Xsent,Osent\n"
                           "rocstory,PersonX naps,\"[\"\"to rest\"\"]\",\"[\"\"none\"\"]\",[],,5\n");
  EXPECT_EQ(format_, "event2mind");
  EXPECT_EQ(events.at(0).source, "rocstory");
  EXPECT_THAT(*values_of(events[0], "Xintent"), ElementsAre("to rest"));
  EXPECT_EQ(events[0].other.at("Osent"), "5");
}

TEST_F(Events, BadRowsAreSaid) {
  EXPECT_THAT(test::user_error_of(
                  [&] { read("e.csv", "Source,Event,Xintent,Xemotion,Otheremotion,Xsent,Osent\na,b,[1],[],[],,\n"); }),
              HasSubstr("e.csv:2: expected a JSON list of texts, found \"[1]\""));
  EXPECT_THAT(test::user_error_of([&] { read("a.tsv", "PersonX pays @@ xNeed\tx\nbroken\n"); }), HasSubstr("a.tsv:2"));
  EXPECT_THAT(test::user_error_of([&] { read("q.jsonl", "{\"choices\":[\"a\",\"b\"]}"); }),
              HasSubstr("expected events"));
}

TEST_F(Events, AreCounted) {
  EventStatisticsCollector collector;
  collector.add({"e", "", "", {{"xNeed", {"a", "none"}}, {"xWant", {}}}, {}});
  collector.add({"e", "", "", {{"xNeed", {"b"}}}, {}});
  const auto& result = collector.result();
  EXPECT_EQ(result.rows, 2U);
  EXPECT_EQ(result.events, 1U);
  EXPECT_EQ(result.dimensions.at("xNeed").events, 2U);
  EXPECT_EQ(result.dimensions.at("xNeed").values, 2U);
  EXPECT_EQ(result.dimensions.at("xNeed").none, 1U);
  EXPECT_EQ(result.dimensions.at("xWant").events, 0U);
}

}  // namespace
}  // namespace gumption
