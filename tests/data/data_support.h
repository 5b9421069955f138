#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "gumption/base/error.h"
#include "gumption/data/dataset.h"

namespace gumption::test {

inline std::vector<Question> read_questions(const std::filesystem::path& path, const std::string& format = {}) {
  ReadOptions options;
  options.format = format;
  return read_dataset(path, options).questions;
}

/// The message of the UserError that `action` throws.
inline std::string user_error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const UserError& error) {
    return error.what();
  }
  return "no UserError";
}

inline Question make_question(std::string context, std::string question, std::vector<std::string> choices,
                              std::optional<int> label = std::nullopt) {
  Question made;
  made.id = "1";
  made.context = std::move(context);
  made.question = std::move(question);
  made.choices = std::move(choices);
  made.label = label;
  return made;
}

}  // namespace gumption::test
