#include "gumption/data/near_duplicates.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "gumption/base/random.h"

#include "data_support.h"

namespace gumption {
namespace {

double jaccard(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) {
  std::vector<std::uint64_t> common;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
  return static_cast<double>(common.size()) / static_cast<double>(a.size() + b.size() - common.size());
}

/// The plain version: every question against every earlier one.
std::vector<SimilarPair> compare_all(const std::vector<Question>& questions, double threshold) {
  std::vector<std::vector<std::uint64_t>> shingles;
  for (const auto& question : questions) shingles.push_back(NearDuplicateFinder::shingles_of(question));
  std::vector<SimilarPair> pairs;
  for (std::size_t second = 0; second < questions.size(); ++second) {
    SimilarPair best;
    for (std::size_t first = 0; first < second; ++first) {
      if (shingles[first].empty() && shingles[second].empty()) continue;
      const double similarity = jaccard(shingles[first], shingles[second]);
      if (similarity >= threshold - 1e-12 && similarity > best.similarity) best = {first, second, similarity};
    }
    if (best.similarity > 0) pairs.push_back(best);
  }
  return pairs;
}

std::vector<Question> random_questions(std::size_t count, std::uint64_t seed) {
  RandomStream random(seed);
  const auto words = [&](std::size_t length) {
    std::string text;
    for (std::size_t i = 0; i < length; ++i) text += "w" + std::to_string(random.below(40)) + " ";
    return text;
  };
  std::vector<Question> questions;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0 && random.below(3) == 0) {
      Question changed = questions[random.below(i)];
      if (random.below(2) == 0) changed.context += words(1 + random.below(2));
      questions.push_back(changed);
    } else {
      questions.push_back(test::make_question(words(random.below(15)), words(random.below(6)), {words(2), words(3)}));
    }
  }
  return questions;
}

class NearDuplicates : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Threads, NearDuplicates, testing::Values(1, 2, 5));

TEST_P(NearDuplicates, EqualTheComparisonOfAllPairs) {
  ThreadPool pool(GetParam());
  for (const double threshold : {0.3, 0.5, 0.8, 1.0}) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      const auto questions = random_questions(400, seed);
      NearDuplicateFinder finder;
      for (const auto& question : questions) finder.add(question);
      const auto found = finder.find(threshold, pool);
      const auto expected = compare_all(questions, threshold);
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(found[i].second, expected[i].second);
        EXPECT_DOUBLE_EQ(found[i].similarity, expected[i].similarity);
      }
    }
  }
}

TEST(NearDuplicatesByHand, TrigramsRunOverContextQuestionAndChoices) {
  // "a b c d e f" has the trigrams abc bcd cde def; with one word more, five of which four are shared: 4/5.
  NearDuplicateFinder finder;
  finder.add(test::make_question("A b", "c?", {"d", "e f."}));
  finder.add(test::make_question("a b c", "", {"D e", "f g"}));
  ThreadPool pool(1);
  const auto pairs = finder.find(0.8, pool);
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_DOUBLE_EQ(pairs[0].similarity, 0.8);
  EXPECT_TRUE(finder.find(0.81, pool).empty());
}

TEST(NearDuplicatesByHand, ThousandsOfCopiesAreNoTrouble) {
  NearDuplicateFinder finder;
  for (int i = 0; i < 20'000; ++i) finder.add(test::make_question("the same words again and again", "", {"x", "y"}));
  ThreadPool pool(2);
  const auto pairs = finder.find(0.8, pool);
  ASSERT_EQ(pairs.size(), 19'999U);
  EXPECT_EQ(pairs.back(), (SimilarPair{0, 19'999, 1.0}));
}

}  // namespace
}  // namespace gumption
