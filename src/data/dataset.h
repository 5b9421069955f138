#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gumption/base/options.h"
#include "gumption/data/question.h"
#include "gumption/data/question_format.h"

namespace gumption {

struct ReadOptions {
  std::string format;       // empty: told by content
  std::string labels;       // a label list; empty: STEM-labels.lst beside the file where it is there
  std::uint64_t limit = 0;  // questions to take from the start; 0: all
};

OptionSet describe(ReadOptions& options);

/// A file that is being read.
struct OpenedQuestions {
  std::unique_ptr<QuestionReader> reader;
  const QuestionFormat* format = nullptr;
  std::filesystem::path labels;    // the label list in use, if any
  bool labels_were_found = false;  // beside the file, without being named
};

/// Opens a file of questions. A name that isn't a file is looked up in the data folders.
OpenedQuestions open_questions(const std::filesystem::path& path, const ReadOptions& options = {});

/// Where some questions came from.
struct SourceFile {
  std::filesystem::path path;
  std::string format;
  std::filesystem::path labels;
  bool labels_were_found = false;
  std::size_t questions = 0;
};

/// Questions in order, and where they came from.
struct Dataset {
  std::string name;
  std::vector<Question> questions;
  std::vector<SourceFile> sources;
};

/// Reads whole files, one after another, with progress. The first bad row ends it with a UserError.
Dataset read_dataset(std::span<const std::filesystem::path> paths, const ReadOptions& options = {});
Dataset read_dataset(const std::filesystem::path& path, const ReadOptions& options = {});

/// Where questions of several files share ids (row numbers, mostly), puts the file's name before each id of all files.
void make_ids_unique(Dataset& dataset);

/// Calls `opened`, where there is one, when the file is open, and then `take` with each question in turn; gives where
/// they came from. Nothing is kept: a question is valid during its call only.
SourceFile for_each_question(const std::filesystem::path& path, const ReadOptions& options,
                             const std::function<void(const Question&)>& take,
                             const std::function<void(const SourceFile&)>& opened = {});

}  // namespace gumption
