#include "gumption/systems/plain_systems.h"

#include "gumption/base/random.h"
#include "gumption/text/words.h"

namespace gumption {

namespace {

/// Answers with score(question, index of the choice).
template <class Score>
std::vector<Answer> answer_each(std::span<const Question> questions, Score&& score) {
  std::vector<Answer> answers;
  answers.reserve(questions.size());
  for (const Question& question : questions) {
    std::vector<double> scores;
    for (std::size_t i = 0; i < question.choices.size(); ++i) scores.push_back(score(question, i));
    answers.push_back(make_answer(question.id, std::move(scores)));
  }
  return answers;
}

}  // namespace

OptionSet describe(RandomOptions& options) {
  OptionSet set;
  set.add("seed", options.seed, "Seed of the random choice");
  return set;
}

std::vector<Answer> RandomSystem::answer(std::span<const Question> questions) {
  return answer_each(questions, [this](const Question& question, std::size_t choice) {
    return RandomStream(seed_ + choice * 0x9E3779B97F4A7C15ULL, question.id).uniform();
  });
}

OptionSet describe(FirstOptions&) { return {}; }

std::vector<Answer> FirstSystem::answer(std::span<const Question> questions) {
  return answer_each(questions, [](const Question&, std::size_t choice) { return choice == 0 ? 1.0 : 0.0; });
}

OptionSet describe(LongestOptions& options) {
  OptionSet set;
  set.add_choice("unit", options.unit, "What length is counted in", {"characters", "words"});
  return set;
}

std::vector<Answer> LongestSystem::answer(std::span<const Question> questions) {
  return answer_each(questions, [this](const Question& question, std::size_t choice) {
    const std::string& text = question.choices[choice];
    return static_cast<double>(in_words_ ? count_tokens(text) : count_points(text));
  });
}

}  // namespace gumption
