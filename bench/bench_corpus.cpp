// Counting in MB/s: the plain loop, asked-for pairs, building an index and looking pairs up in it. Reads the text files
// of the folder GUMPTION_BOOKS, up to 64 MiB; without it, made-up text of the same shape.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include <benchmark/benchmark.h>
#include <unistd.h>

#include "gumption/base/files.h"
#include "gumption/base/random.h"
#include "gumption/corpus/asked_counts.h"
#include "gumption/corpus/count_index.h"
#include "gumption/corpus/index_builder.h"
#include "gumption/text/stop_words.h"
#include "gumption/text/words.h"

namespace {

using namespace gumption;
namespace fs = std::filesystem;

constexpr std::size_t kEnough = std::size_t{64} << 20;
constexpr std::size_t kPairs = 15'803;  // as many as COPA's 1,000 questions ask for,
constexpr std::size_t kWords = 2'300;   // of about as many words

std::string made_up() {
  RandomStream random(1);
  std::string text;
  while (text.size() < kEnough / 4) {
    std::uint64_t rank = random.below(1 + random.below(1 + random.below(60'000)));
    do text += static_cast<char>('a' + rank % 26);
    while ((rank /= 26) > 0);
    text += random.below(12) == 0 ? ".\n" : " ";
  }
  return text;
}

/// The text in one file, removed at the end.
class Text {
 public:
  Text() : path_(fs::temp_directory_path() / ("bench-corpus-" + std::to_string(::getpid()))) {
    std::string text;
    if (const char* folder = std::getenv("GUMPTION_BOOKS")) {
      for (const TextFile& file : find_text_files({folder})) {
        if (text.size() >= kEnough) break;
        text += MappedFile(file.path).bytes();
      }
    } else {
      text = made_up();
    }
    bytes_ = text.size();
    std::ofstream(path_, std::ios::binary) << text;
    choose_pairs(text);
  }
  ~Text() {
    fs::remove(path_);
    fs::remove(index());
  }

  fs::path index() const { return path_.string() + ".counts"; }
  std::vector<TextFile> files() const { return find_text_files({path_.string()}); }
  const fs::path& path() const { return path_; }
  std::size_t bytes() const { return bytes_; }
  const std::vector<WordPair>& pairs() const { return pairs_; }

 private:
  void choose_pairs(std::string_view text) {
    std::set<std::string> distinct;
    for (std::string& word : words_of(text.substr(0, 400'000))) {
      if (!is_stop_word(word)) distinct.insert(std::move(word));
    }
    std::vector<std::string> words(distinct.begin(), distinct.end());
    RandomStream random(2);
    shuffle(words, random);
    words.resize(std::min(words.size(), kWords));
    while (pairs_.size() < kPairs)
      pairs_.push_back({words[random.below(words.size())], words[random.below(words.size())]});
  }

  fs::path path_;
  std::size_t bytes_ = 0;
  std::vector<WordPair> pairs_;
};

const Text& text() {
  static const Text made;
  return made;
}

void report(benchmark::State& state) {
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(text().bytes()));
}

/// What one writes in an afternoon: a map of words, a map of pairs, a queue of the last words.
void plain_loop(benchmark::State& state) {
  std::unordered_map<std::string, std::uint32_t> numbers;
  std::unordered_map<std::uint64_t, std::array<std::uint64_t, 3>> counts;
  const auto number_of = [&](const std::string& word) {
    return numbers.try_emplace(word, static_cast<std::uint32_t>(numbers.size())).first->second;
  };
  for (const auto& [first, second] : text().pairs()) {
    const std::uint64_t x = number_of(first);
    counts[x << 32 | number_of(second)] = {};
  }
  struct Met {
    std::uint64_t position;
    std::uint32_t number;
  };
  for (auto _ : state) {
    const MappedFile file(text().path());
    std::deque<Met> recent;
    std::uint64_t position = 0;
    for_each_word(file.bytes(), [&](std::string_view word) {
      ++position;
      const auto found = numbers.find(std::string(word));
      if (found == numbers.end()) return;
      while (!recent.empty() && position - recent.front().position > 50) recent.pop_front();
      for (const Met& before : recent) {
        const auto pair = counts.find(std::uint64_t{before.number} << 32 | found->second);
        if (pair == counts.end()) continue;
        const std::uint64_t distance = position - before.position;
        pair->second[0] += distance <= 5 ? 1 : 0;
        pair->second[1] += distance <= 25 ? 1 : 0;
        ++pair->second[2];
      }
      recent.push_back({position, found->second});
    });
  }
  report(state);
}
BENCHMARK(plain_loop)->Unit(benchmark::kMillisecond)->UseRealTime();

void asked_pairs(benchmark::State& state) {
  CountOptions options;
  options.threads = static_cast<std::size_t>(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(count_asked(text().files(), text().pairs(), options));
  report(state);
}
BENCHMARK(asked_pairs)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

void build_index(benchmark::State& state) {
  BuildOptions options;
  options.windows = std::to_string(state.range(0));
  options.words.min_count = 5;
  options.threads = 2;
  for (auto _ : state) build_count_index({text().path().string()}, text().index(), options);
  report(state);
}
BENCHMARK(build_index)->Arg(5)->Arg(25)->Unit(benchmark::kMillisecond)->UseRealTime();

void look_up(benchmark::State& state) {
  BuildOptions options;
  options.words.min_count = 5;
  build_count_index({text().path().string()}, text().index(), options);
  const CountIndex index(text().index());
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (const auto& [first, second] : text().pairs()) {
    const auto x = index.number_of(first);
    const auto y = index.number_of(second);
    if (x && y) pairs.emplace_back(*x, *y);
  }
  std::array<std::uint64_t, 3> counts{};
  std::size_t next = 0;
  for (auto _ : state) {
    const auto [x, y] = pairs[next++ % pairs.size()];
    benchmark::DoNotOptimize(index.find(x, y, counts.data()));
  }
}
BENCHMARK(look_up);

/// From the words as text.
void look_up_words(benchmark::State& state) {
  const CountIndex index(text().index());
  std::size_t next = 0;
  for (auto _ : state) {
    const auto& [first, second] = text().pairs()[next++ % text().pairs().size()];
    benchmark::DoNotOptimize(index.count_of(first, second));
  }
}
BENCHMARK(look_up_words);

}  // namespace
