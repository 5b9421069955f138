// The samples keep what their README promises.

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "gumption/data/check.h"
#include "gumption/data/dataset.h"
#include "gumption/systems/plain_systems.h"

#include "support/support.h"

namespace gumption {
namespace {

struct Sample {
  std::string name;
  std::size_t least;
  std::size_t choices;
};

class Samples : public testing::TestWithParam<Sample> {
 protected:
  std::filesystem::path path() const { return test::source_folder() / "samples" / (GetParam().name + "-style.jsonl"); }
};

INSTANTIATE_TEST_SUITE_P(All, Samples,
                         testing::Values(Sample{"copa", 60, 2}, Sample{"social-iqa", 60, 3}, Sample{"cosmos-qa", 40, 4},
                                         Sample{"codah", 60, 4}),
                         [](const auto& tested) {
                           std::string name = tested.param.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(Samples, AreEnoughAndBalanced) {
  const Dataset dataset = read_dataset(path());
  EXPECT_GE(dataset.questions.size(), GetParam().least);
  std::map<int, std::size_t> labels;
  std::set<std::string> ids;
  for (const Question& question : dataset.questions) {
    ASSERT_TRUE(question.label);
    EXPECT_EQ(question.choices.size(), GetParam().choices);
    EXPECT_TRUE(ids.insert(question.id).second) << question.id;
    ++labels[*question.label];
  }
  for (const auto& [label, count] : labels) {
    EXPECT_NEAR(static_cast<double>(count),
                static_cast<double>(dataset.questions.size()) / static_cast<double>(GetParam().choices), 1);
  }
}

TEST_P(Samples, PassTheCheck) {
  ThreadPool pool(1);
  CheckOptions options;
  options.ignore = {"none-of-the-above"};
  const std::vector<std::filesystem::path> paths = {path()};
  for (const Finding& finding : check_files(paths, {}, options, pool).findings) ADD_FAILURE() << finding.message;
}

}  // namespace
}  // namespace gumption
