#include "gumption/data/split.h"

#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "gumption/base/random.h"

#include "data_support.h"
#include "support/support.h"

namespace gumption {
namespace {

using testing::HasSubstr;

std::vector<Question> some_questions(std::size_t count) {
  RandomStream random(4);
  std::vector<Question> questions;
  for (std::size_t i = 0; i < count; ++i) {
    Question question = test::make_question("Context " + std::to_string(random.below(count / 4)), "q", {"a", "b"},
                                            static_cast<int>(i % 2));
    question.id = std::to_string(i);
    question.notes.category = i % 10 == 0 ? "rare" : i % 2 == 0 ? "even" : "odd";
    question.notes.author = "w" + std::to_string(random.below(20));
    questions.push_back(std::move(question));
  }
  return questions;
}

/// Every question stands in exactly one part.
void expect_partition(const std::vector<Part>& parts, std::size_t count) {
  std::set<std::size_t> seen;
  std::size_t total = 0;
  for (const Part& part : parts) {
    total += part.questions.size();
    seen.insert(part.questions.begin(), part.questions.end());
    EXPECT_TRUE(std::is_sorted(part.questions.begin(), part.questions.end()));
  }
  EXPECT_EQ(total, count);
  EXPECT_EQ(seen.size(), count);
}

TEST(Split, RandomPartsHaveTheirShares) {
  const auto questions = some_questions(1003);
  SplitOptions options;
  options.by = "random";
  const auto parts = split_questions(questions, options);
  expect_partition(parts, 1003);
  // 802.4, 100.3, 100.3: the one left over goes to the largest remainder.
  EXPECT_EQ(parts[0].questions.size(), 803U);
  EXPECT_EQ(parts[1].questions.size(), 100U);
  EXPECT_EQ(parts[2].questions.size(), 100U);
}

TEST(Split, TheSeedDecides) {
  const auto questions = some_questions(200);
  SplitOptions options;
  const auto once = split_questions(questions, options);
  const auto again = split_questions(questions, options);
  options.seed = 2;
  const auto other = split_questions(questions, options);
  EXPECT_EQ(once[0].questions, again[0].questions);
  EXPECT_NE(once[0].questions, other[0].questions);
}

TEST(Split, StratifiedPartsHaveEachCategorysShare) {
  const auto questions = some_questions(1000);
  SplitOptions options;
  options.by = "stratified";
  const auto parts = split_questions(questions, options);
  expect_partition(parts, 1000);
  for (const Part& part : parts) {
    std::map<std::string, double> counts;
    for (const std::size_t i : part.questions) ++counts[questions[i].notes.category];
    const auto size = static_cast<double>(part.questions.size());
    EXPECT_NEAR(counts["rare"] / size, 0.1, 0.02) << part.name;
    EXPECT_NEAR(counts["even"] / size, 0.4, 0.02) << part.name;
    EXPECT_NEAR(counts["odd"] / size, 0.5, 0.02) << part.name;
  }
}

TEST(Split, GroupsStayTogether) {
  const auto questions = some_questions(1000);
  for (const std::string key : {"context", "author"}) {
    SplitOptions options;
    options.by = "group";
    options.group_by = key;
    const auto parts = split_questions(questions, options);
    expect_partition(parts, 1000);
    std::map<std::string, std::string> part_of;
    for (const Part& part : parts) {
      for (const std::size_t i : part.questions) {
        const std::string& group = key == "context" ? questions[i].context : questions[i].notes.author;
        const auto [found, is_new] = part_of.emplace(group, part.name);
        EXPECT_EQ(found->second, part.name) << group;
      }
    }
    if (key == "context") {
      EXPECT_NEAR(static_cast<double>(parts[0].questions.size()), 800, 10);
    }
  }
}

TEST(Split, FoldsAreEvenAndStratifiedWhereThereAreCategories) {
  const auto questions = some_questions(1004);
  SplitOptions options;
  options.folds = 5;
  const auto folds = split_questions(questions, options);
  expect_partition(folds, 1004);
  for (const Part& fold : folds) {
    EXPECT_NEAR(static_cast<double>(fold.questions.size()), 201, 1);
    const auto rare = std::count_if(fold.questions.begin(), fold.questions.end(),
                                    [&](std::size_t i) { return questions[i].notes.category == "rare"; });
    EXPECT_NEAR(static_cast<double>(rare), 20, 2);
  }
  EXPECT_EQ(folds[0].name, "fold-0");
}

TEST(Split, FractionsAreNested) {
  const auto questions = some_questions(500);
  for (const std::string by : {"", "random", "stratified", "group"}) {
    SplitOptions options;
    options.by = by;
    options.fractions = {.2, .4, .6, .8};
    const auto samples = split_questions(questions, options);
    ASSERT_EQ(samples.size(), 4U);
    EXPECT_EQ(samples[0].name, "fraction-20");
    for (std::size_t i = 1; i < samples.size(); ++i) {
      EXPECT_TRUE(std::includes(samples[i].questions.begin(), samples[i].questions.end(),
                                samples[i - 1].questions.begin(), samples[i - 1].questions.end()));
      EXPECT_NEAR(static_cast<double>(samples[i].questions.size()), 100.0 * static_cast<double>(i + 1),
                  by == "group" ? 15 : 0);
    }
  }
}

TEST(Split, SaysWhatMakesNoSense) {
  const auto questions = some_questions(20);
  const auto message = [&](const std::function<void(SplitOptions&)>& change) {
    SplitOptions options;
    change(options);
    return test::user_error_of([&] { split_questions(questions, options); });
  };
  EXPECT_THAT(message([](auto& o) { o.parts = "train=.8,dev=.1"; }), HasSubstr("add up to 1, found 0.9"));
  EXPECT_THAT(message([](auto& o) { o.parts = "train"; }), HasSubstr("name=share"));
  EXPECT_THAT(message([](auto& o) { o.parts = "a=.5,a=.5"; }), HasSubstr("stands twice"));
  EXPECT_THAT(message([](auto& o) { o.parts = "../a=1"; }), HasSubstr("plain name"));
  EXPECT_THAT(message([](auto& o) { o.folds = 21; }), HasSubstr("at most one for each"));
  EXPECT_THAT(message([](auto& o) {
                o.by = "group";
                o.group_by = "source_event";
              }),
              HasSubstr("has no source_event"));
  EXPECT_THAT(message([](auto& o) {
                o.by = "stratified";
                o.stratify_by = "question_type";
              }),
              HasSubstr("No question has a question_type"));
}

TEST(Split, WhatIsAskedForDecidesHow) {
  const auto questions = some_questions(20);
  SplitOptions options;
  options.group_by = "author";
  EXPECT_EQ(resolve_split(questions, options).by, "group");
  options.stratify_by = "label";
  EXPECT_THROW(resolve_split(questions, options), UsageError);
  options = {};
  options.folds = 5;
  EXPECT_EQ(resolve_split(questions, options).by, "stratified");
  options.parts = "a=1";
  EXPECT_THROW(resolve_split(questions, options), UsageError);
  options = {};
  EXPECT_EQ(resolve_split(questions, options).by, "random");
}

TEST(Split, WritesPartsAndAManifest) {
  const test::TemporaryFolder folder;
  Dataset dataset;
  dataset.questions = some_questions(50);
  dataset.sources.push_back({"all.jsonl", "native", "", false, 50});
  SplitOptions options;
  options.by = "random";
  const auto parts = split_questions(dataset.questions, options);
  write_parts(dataset, parts, options, folder / "out");
  EXPECT_EQ(test::read_questions(folder / "out/train.jsonl").size(), 40U);
  const auto manifest = nlohmann::json::parse(test::read_bytes(folder / "out/manifest.json"));
  EXPECT_EQ(manifest["seed"], 1);
  EXPECT_EQ(manifest["by"], "random");
  EXPECT_EQ(manifest["sources"][0]["file"], "all.jsonl");
  EXPECT_EQ(manifest["parts"][1]["file"], "dev.jsonl");
  EXPECT_EQ(manifest["parts"][1]["questions"], 5);
  EXPECT_EQ(manifest["parts"][1]["sha256"].get<std::string>().size(), 64U);
  EXPECT_THAT(test::user_error_of([&] { write_parts(dataset, parts, options, folder / "out"); }),
              HasSubstr("is there already"));
}

}  // namespace
}  // namespace gumption
