// The paired tests over 10,000 questions with 9,999 shuffles and resamples, beside shuffling whole lists of right and
// wrong as the tests are usually written; and reading a score file of as many rows.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "gumption/base/random.h"
#include "gumption/measure/agreement.h"
#include "gumption/measure/paired_tests.h"
#include "gumption/measure/score_file.h"

namespace {

constexpr std::size_t kQuestions = 10'000;
constexpr std::uint64_t kShuffles = 9'999;

/// Right and wrong of two systems that have three questions of five right, each by itself.
struct Answers {
  std::vector<bool> a;
  std::vector<bool> b;
};

const Answers& answers() {
  static const Answers made = [] {
    Answers made_now;
    gumption::RandomStream stream(1);
    for (std::size_t i = 0; i < kQuestions; ++i) {
      made_now.a.push_back(stream.below(5) < 3);
      made_now.b.push_back(stream.below(5) < 3);
    }
    return made_now;
  }();
  return made;
}

void randomisation(benchmark::State& state) {
  for (auto _ : state) {
    const auto counts = gumption::count_pairs(answers().a, answers().b);
    benchmark::DoNotOptimize(gumption::randomisation_test(counts, kShuffles, 1));
  }
}

void randomisation_of_whole_lists(benchmark::State& state) {
  const std::vector<std::uint8_t> a(answers().a.begin(), answers().a.end());
  const std::vector<std::uint8_t> b(answers().b.begin(), answers().b.end());
  for (auto _ : state) {
    gumption::RandomStream stream(1);
    int observed = 0;
    for (std::size_t i = 0; i < kQuestions; ++i) observed += a[i] - b[i];
    std::uint64_t as_far = 0;
    for (std::uint64_t shuffle = 0; shuffle < kShuffles; ++shuffle) {
      int difference = 0;
      for (std::size_t i = 0; i < kQuestions; ++i) {
        difference += (stream.next() >> 63) != 0 ? a[i] - b[i] : b[i] - a[i];
      }
      if (std::abs(difference) >= std::abs(observed)) ++as_far;
    }
    benchmark::DoNotOptimize(as_far);
  }
}

void bootstrap(benchmark::State& state) {
  const auto counts = gumption::count_pairs(answers().a, answers().b);
  for (auto _ : state) benchmark::DoNotOptimize(gumption::bootstrap_difference(counts, kShuffles, 1).low);
}

void whole_comparison(benchmark::State& state) {
  for (auto _ : state) {
    const auto counts = gumption::count_pairs(answers().a, answers().b);
    benchmark::DoNotOptimize(gumption::compare(counts).p_mcnemar);
  }
}

void reading_scores(benchmark::State& state) {
  std::string text;
  for (std::size_t i = 0; i < kQuestions; ++i) {
    text += fmt::format(R"({{"id":"question-{}","scores":[-1.25,-2.5,-0.125],"choice":2,"label":1}})", i) + "\n";
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(gumption::read_score_file(gumption::open_memory(text, "scores")).answers.size());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * kQuestions));
}

/// Each item has three labels by raters out of fifty.
void agreement(benchmark::State& state) {
  std::string text = "rater,item,label\n";
  gumption::RandomStream stream(2);
  for (std::size_t item = 0; item < kQuestions; ++item) {
    const auto first = stream.below(50);
    for (std::uint64_t i = 0; i < 3; ++i) text += fmt::format("r{},{},{}\n", (first + i) % 50, item, stream.below(4));
  }
  for (auto _ : state) {
    const auto ratings = gumption::read_ratings(gumption::open_memory(text, "ratings"));
    benchmark::DoNotOptimize(gumption::mean_kappa(gumption::cohens_kappas(ratings)));
    benchmark::DoNotOptimize(gumption::fleiss_kappa(ratings));
    benchmark::DoNotOptimize(gumption::krippendorff_alpha(ratings));
  }
}

BENCHMARK(randomisation)->Unit(benchmark::kMillisecond);
BENCHMARK(randomisation_of_whole_lists)->Unit(benchmark::kMillisecond)->Iterations(3);
BENCHMARK(bootstrap)->Unit(benchmark::kMillisecond);
BENCHMARK(whole_comparison)->Unit(benchmark::kMillisecond);
BENCHMARK(reading_scores)->Unit(benchmark::kMillisecond);
BENCHMARK(agreement)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
