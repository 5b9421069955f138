// Sentence splitting in MB/s on one core, ours beside ICU's own. Reads the text files of the folder GUMPTION_BOOKS, up
// to 64 MiB; without it, a made-up narrative of the same shape.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "gumption/base/files.h"
#include "gumption/text/sentences.h"

namespace {

constexpr std::size_t kEnough = std::size_t{64} << 20;

std::string made_up() {
  const std::string paragraph =
      "\"It is late, Mr. Harding!\" cried the widow, and she drew the curtain. He did not answer at once; he looked at "
      "the "
      "fire, which had burned low . . . and then at her. \"Is it?\" said he. \"I had not noticed.\"\n";
  std::string text;
  while (text.size() < (std::size_t{8} << 20)) text += paragraph;
  return text;
}

std::string read_books(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".txt") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::string text;
  for (const auto& path : paths) {
    if (text.size() >= kEnough) break;
    text += gumption::MappedFile(path).bytes();
    text += '\n';
  }
  text.resize(std::min(text.size(), kEnough));
  return text;
}

const std::string& text() {
  static const std::string loaded = [] {
    const char* folder = std::getenv("GUMPTION_BOOKS");
    return folder != nullptr ? read_books(folder) : made_up();
  }();
  return loaded;
}

void report(benchmark::State& state, std::size_t sentences) {
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(text().size()));
  state.counters["sentences"] = static_cast<double>(sentences);
}

void ours(benchmark::State& state) {
  std::size_t count = 0;
  for (auto _ : state) {
    count = 0;
    gumption::SentenceSplitter splitter(text());
    for (gumption::Sentence sentence; splitter.next(sentence);) ++count;
    benchmark::DoNotOptimize(count);
  }
  report(state, count);
}

void ours_as_vector(benchmark::State& state) {
  std::size_t count = 0;
  for (auto _ : state) count = gumption::sentences_of(text()).size();
  report(state, count);
}

void icu(benchmark::State& state) {
  std::size_t count = 0;
  for (auto _ : state) count = gumption::icu_sentences_of(text()).size();
  report(state, count);
}

BENCHMARK(ours)->Unit(benchmark::kMillisecond);
BENCHMARK(ours)->Unit(benchmark::kMillisecond)->Threads(2)->UseRealTime();
BENCHMARK(ours_as_vector)->Unit(benchmark::kMillisecond);
BENCHMARK(icu)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
