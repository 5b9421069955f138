#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "gumption/data/question_reader.h"

namespace gumption {

/// STEM-labels.lst beside STEM.jsonl (packed or not).
std::filesystem::path label_list_beside(const std::filesystem::path& questions);

/// A label list: one whole number a line, `first` meaning the first choice. Gives indices from 0. UserError, with the
/// line, for anything else.
std::vector<int> read_label_list(const std::filesystem::path& path, int first);

/// A reader that takes labels from a list: row n the n-th label. UserError when the list is shorter or longer than the
/// rows; BadRow when a row has a label of its own that differs.
std::unique_ptr<QuestionReader> with_labels(std::unique_ptr<QuestionReader> reader, const std::filesystem::path& list,
                                            int first);

}  // namespace gumption
