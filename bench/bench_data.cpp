// Reading, checking and comparing questions. Rates are bytes of the file a second, on one core unless said otherwise.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <benchmark/benchmark.h>
#include <nlohmann/json.hpp>

#include "gumption/base/random.h"
#include "gumption/data/check.h"
#include "gumption/data/near_duplicates.h"

namespace gumption {
namespace {

namespace fs = std::filesystem;

/// Social IQA's training file where it is found, else a file of the same shape.
fs::path social_iqa_file() {
  const char* shared = std::getenv("GUMPTION_SHARED");
  const fs::path real = fs::path(shared != nullptr ? shared : "../shared") / "data/social-iqa/train.jsonl";
  if (fs::exists(real)) return real;
  const fs::path made = fs::temp_directory_path() / "gumption-bench-social.jsonl";
  std::ofstream file(made);
  for (int i = 0; i < 33'410; ++i) {
    file
        << R"({"context": "Sasha carried the heavy box up to the fifth floor for the old neighbour number )" << i
        << R"(.", "question": "What will Sasha want to do next?", "answerA": "rest for a while", "answerB": "carry it down )"
        << R"(again", "answerC": "buy the neighbour's house"})"
        << "\n";
  }
  return made;
}

void read_social_iqa(benchmark::State& state) {
  const fs::path path = social_iqa_file();
  std::size_t questions = 0;
  for (auto _ : state) {
    ReadOptions options;
    questions = read_dataset(path, options).questions.size();
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * fs::file_size(path)));
  state.counters["questions"] = static_cast<double>(questions);
}
BENCHMARK(read_social_iqa)->Unit(benchmark::kMillisecond);

/// The plain way, for comparison: nlohmann-json's document for each line.
void read_social_iqa_with_nlohmann(benchmark::State& state) {
  const fs::path path = social_iqa_file();
  for (auto _ : state) {
    std::vector<Question> questions;
    std::ifstream file(path);
    std::string line;
    while (std::getline(file, line)) {
      const auto row = nlohmann::json::parse(line);
      Question question;
      question.context = row["context"].get<std::string>();
      question.question = row["question"].get<std::string>();
      for (const char* key : {"answerA", "answerB", "answerC"}) question.choices.push_back(row[key].get<std::string>());
      questions.push_back(std::move(question));
    }
    benchmark::DoNotOptimize(questions);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * fs::file_size(path)));
}
BENCHMARK(read_social_iqa_with_nlohmann)->Unit(benchmark::kMillisecond);

std::vector<Question> many_questions(std::size_t count) {
  RandomStream random(1);
  std::vector<Question> questions;
  const auto words = [&](std::size_t length) {
    std::string text;
    // Squared uniform numbers make some words frequent, as in real text.
    for (std::size_t i = 0; i < length; ++i) {
      const double u = random.uniform();
      text += "w" + std::to_string(static_cast<int>(20'000 * u * u)) + " ";
    }
    return text;
  };
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 10 && random.below(20) == 0) {
      questions.push_back(questions[random.below(i)]);
      questions.back().context += words(1);
    } else {
      Question question;
      question.context = words(14);
      question.question = "What will " + words(1) + " want to do next?";
      question.choices = {words(4), words(4), words(4)};
      questions.push_back(std::move(question));
    }
  }
  return questions;
}

/// 100,000 questions, two threads; must take well under a minute.
void near_duplicates(benchmark::State& state) {
  const auto questions = many_questions(static_cast<std::size_t>(state.range(0)));
  ThreadPool pool(2);
  std::size_t pairs = 0;
  for (auto _ : state) {
    NearDuplicateFinder finder;
    for (const auto& question : questions) finder.add(question);
    pairs = finder.find(0.8, pool).size();
  }
  state.counters["pairs"] = static_cast<double>(pairs);
}
BENCHMARK(near_duplicates)->Arg(25'000)->Arg(100'000)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace gumption
