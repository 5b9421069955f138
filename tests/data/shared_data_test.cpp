// Every real question file can be read, checked and written back, and counts what its publisher says.

#include <gtest/gtest.h>

#include "gumption/data/check.h"

#include "data_support.h"
#include "support/support.h"

namespace gumption {
namespace {

struct RealFile {
  std::string path;
  std::string format;
  std::size_t questions;
  std::size_t first_is_right;  // counted from the files by a script of its own
};

class RealFiles : public testing::TestWithParam<RealFile> {};

INSTANTIATE_TEST_SUITE_P(Shared, RealFiles,
                         testing::Values(RealFile{"copa/copa-dev.xml", "copa-xml", 500, 250},
                                         RealFile{"copa/train.jsonl", "superglue-copa", 368, 181},
                                         RealFile{"copa/val.jsonl", "superglue-copa", 100, 55},
                                         RealFile{"social-iqa/dev.jsonl", "social-iqa", 1954, 643},
                                         RealFile{"social-iqa/train.jsonl", "social-iqa", 33410, 11274},
                                         RealFile{"cosmos-qa/valid.csv", "cosmos-csv", 2985, 744},
                                         RealFile{"cosmos-qa/valid.jsonl", "cosmos-jsonl", 2985, 744},
                                         RealFile{"codah/full_data.tsv", "codah", 2776, 689},
                                         RealFile{"codah/cv_split/fold_0/train.tsv", "codah", 1665, 426},
                                         RealFile{"wsc/wsc273.txt", "wsc-text", 273, 273},
                                         RealFile{"dpr/train.c.txt", "dpr", 1316, 658},
                                         RealFile{"dpr/test.c.txt", "dpr", 564, 282},
                                         RealFile{"commonsense-qa/dev.jsonl", "commonsense-qa", 1221, 239}),
                         [](const auto& tested) {
                           std::string name = tested.param.path;
                           std::replace_if(
                               name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
                           return name;
                         });

TEST_P(RealFiles, AreReadAndCounted) {
  GUMPTION_NEEDS_SHARED(path, "data/" + GetParam().path);
  const Dataset dataset = read_dataset(path);
  EXPECT_EQ(dataset.sources[0].format, GetParam().format);
  ASSERT_EQ(dataset.questions.size(), GetParam().questions);
  std::size_t first = 0;
  for (const Question& question : dataset.questions) {
    ASSERT_TRUE(question.label) << question.id;
    first += *question.label == 0 ? 1 : 0;
  }
  EXPECT_EQ(first, GetParam().first_is_right);
}

TEST_P(RealFiles, SurviveBeingWrittenAndReadAgain) {
  GUMPTION_NEEDS_SHARED(path, "data/" + GetParam().path);
  const auto questions = test::read_questions(path);
  const test::TemporaryFolder folder;
  for (const std::string& format : {std::string("native"), GetParam().format}) {
    const auto copy = folder / (format + "-copy" + question_format(format).extension);
    const auto writer = question_format(format).create(copy);
    for (const Question& question : questions) writer->write(question);
    writer->commit();
    EXPECT_EQ(test::read_questions(copy, format), questions) << format;
  }
}

TEST_P(RealFiles, HaveNoBadRows) {
  GUMPTION_NEEDS_SHARED(path, "data/" + GetParam().path);
  ThreadPool pool(2);
  const std::vector<std::filesystem::path> paths = {path};
  const auto report = check_files(paths, {}, {}, pool);
  EXPECT_FALSE(report.summary.contains("bad-row"));
  EXPECT_EQ(report.questions, GetParam().questions);
}

}  // namespace
}  // namespace gumption
