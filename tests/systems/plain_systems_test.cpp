#include "gumption/systems/plain_systems.h"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gumption/base/error.h"
#include "gumption/systems/registry.h"

namespace gumption {
namespace {

using testing::ElementsAre;

Question question_of(const std::string& id, std::vector<std::string> choices) {
  Question question;
  question.id = id;
  question.choices = std::move(choices);
  return question;
}

TEST(PlainSystems, FirstAndLongest) {
  const std::vector<Question> questions = {question_of("1", {"éé", "abc", "abc"}),
                                           question_of("2", {"one long-word", "a b c"})};
  EXPECT_EQ(FirstSystem({}).answer(questions)[1].choice, 0);
  const auto by_characters = LongestSystem({}).answer(questions);
  EXPECT_THAT(by_characters[0].scores, ElementsAre(2, 3, 3));
  EXPECT_EQ(by_characters[0].choice, 1);
  EXPECT_TRUE(by_characters[0].tie);
  LongestOptions in_words;
  in_words.unit = "words";
  EXPECT_EQ(LongestSystem(in_words).answer(questions)[1].choice, 1);
}

TEST(PlainSystems, RandomDependsOnSeedAndIdAlone) {
  std::vector<Question> questions;
  for (int i = 0; i < 3000; ++i) questions.push_back(question_of(std::to_string(i), {"a", "b", "c"}));
  const auto answers = RandomSystem({.seed = 5}).answer(questions);
  std::vector<int> counts(3);
  for (const Answer& answer : answers) ++counts[static_cast<std::size_t>(answer.choice)];
  // Standard deviation of each count: sqrt(3000 · 1/3 · 2/3) = 26.
  for (const int count : counts) EXPECT_NEAR(count, 1000, 5 * 26);
  auto reversed = questions;
  std::reverse(reversed.begin(), reversed.end());
  EXPECT_EQ(RandomSystem({.seed = 5}).answer(reversed).back().scores, answers.front().scores);
  EXPECT_NE(RandomSystem({.seed = 6}).answer(questions).front().scores, answers.front().scores);
}

TEST(SystemRegistry, NamesStandOnceAndOptionsAreDescribed) {
  std::set<std::string> names;
  for (const SystemEntry& entry : systems()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    const auto setup = entry.setup();
    for (const Option& option : setup->describe().options()) EXPECT_FALSE(option.meaning.empty()) << option.name;
    if (entry.asks_model) continue;  // the room `models` makes those
    EXPECT_NE(setup->make(), nullptr);
  }
  EXPECT_THROW(system_entry("fist"), UserError);
}

TEST(SystemRegistry, OptionsReachTheSystem) {
  const auto setup = system_entry("longest").setup();
  setup->describe().assign("unit=words");
  const std::vector<Question> questions = {question_of("2", {"one long-word", "a b c"})};
  EXPECT_EQ(setup->make()->answer(questions)[0].choice, 1);
}

}  // namespace
}  // namespace gumption
