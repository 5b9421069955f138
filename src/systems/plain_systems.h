#pragma once

// Systems that need no knowledge: what a real one must beat.

#include <cstdint>

#include "gumption/systems/system.h"

namespace gumption {

struct RandomOptions {
  std::uint64_t seed = 1;
};
OptionSet describe(RandomOptions& options);

/// A random score for each choice, drawn from the seed and the question's id: the order of questions doesn't matter.
class RandomSystem final : public System {
 public:
  explicit RandomSystem(const RandomOptions& options) : seed_(options.seed) {}
  std::vector<Answer> answer(std::span<const Question> questions) override;

 private:
  std::uint64_t seed_;
};

struct FirstOptions {};
OptionSet describe(FirstOptions& options);

/// 1 for the first choice, 0 for the others.
class FirstSystem final : public System {
 public:
  explicit FirstSystem(const FirstOptions&) {}
  std::vector<Answer> answer(std::span<const Question> questions) override;
};

struct LongestOptions {
  std::string unit = "characters";
};
OptionSet describe(LongestOptions& options);

/// The length of each choice.
class LongestSystem final : public System {
 public:
  explicit LongestSystem(const LongestOptions& options) : in_words_(options.unit == "words") {}
  std::vector<Answer> answer(std::span<const Question> questions) override;

 private:
  bool in_words_;
};

}  // namespace gumption
