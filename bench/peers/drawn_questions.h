#pragma once

// Questions of which only the lengths matter: what the programs beside a GPU's peers are timed with.

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace gumption {

/// Lengths in tokens.
struct DrawnQuestion {
  std::int64_t shared = 0;            // what the choices share
  std::vector<std::int64_t> choices;  // what each has of its own
};

/// A file with a line for each question: the tokens that its choices share, then those of each choice.
inline std::vector<DrawnQuestion> read_drawn_questions(const std::string& path) {
  std::vector<DrawnQuestion> questions;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream numbers(line);
    DrawnQuestion question;
    numbers >> question.shared;
    for (std::int64_t length = 0; numbers >> length;) question.choices.push_back(length);
    questions.push_back(std::move(question));
  }
  return questions;
}

/// Ids of ordinary words; `first` says where they begin.
inline std::vector<std::int32_t> drawn_ids(std::int64_t length, std::int64_t first) {
  constexpr std::int64_t kLeast = 1000;
  constexpr std::int64_t kWords = 20000;
  std::vector<std::int32_t> ids;
  for (std::int64_t i = 0; i < length; ++i)
    ids.push_back(static_cast<std::int32_t>(kLeast + (first + 37 * i) % kWords));
  return ids;
}

}  // namespace gumption
