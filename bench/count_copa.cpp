// Counts, at windows of 5, 25 and 50 words at once, the pairs of content words that COPA-like questions ask for:
//   count_copa QUESTIONS CORPUS... [THREADS]
// Prints how much text was read, how fast, and the memory at its peak.

#include <chrono>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sys/resource.h>

#include "gumption/base/options.h"
#include "gumption/corpus/asked_counts.h"
#include "gumption/data/dataset.h"
#include "gumption/text/stop_words.h"
#include "gumption/text/words.h"

namespace {

using namespace gumption;

std::vector<std::string> content_words(const std::string& text) {
  std::vector<std::string> words;
  for (std::string& word : words_of(text)) {
    if (!is_stop_word(word)) words.push_back(std::move(word));
  }
  return words;
}

std::vector<WordPair> pairs_of(const std::string& questions) {
  std::set<WordPair> pairs;
  for_each_question(questions, {}, [&](const Question& question) {
    const bool backward = question.notes.asks_for == AsksFor::kCause;
    for (const std::string& choice : question.choices) {
      for (const std::string& given : content_words(question.context)) {
        for (const std::string& guessed : content_words(choice)) {
          pairs.insert(backward ? WordPair{guessed, given} : WordPair{given, guessed});
        }
      }
    }
  });
  return {pairs.begin(), pairs.end()};
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() < 2) return 2;
  CountOptions options;
  options.threads = 2;
  if (const auto threads = parse_integer(arguments.back())) {
    options.threads = static_cast<std::size_t>(*threads);
    arguments.pop_back();
  }
  const auto pairs = pairs_of(arguments.front());
  arguments.erase(arguments.begin());
  const auto start = std::chrono::steady_clock::now();
  const auto counts = count_asked(find_text_files(arguments), pairs, options);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto in_seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  const double megabytes = 1e-6 * static_cast<double>(counts->totals().bytes);
  const double cpu = in_seconds(usage.ru_utime) + in_seconds(usage.ru_stime);
  fmt::print("{} pairs, {:.0f} MB: {:.2f} s, {:.0f} MB/s; {:.2f} s of CPU, {:.0f} MB/s each; {} MB at its peak\n",
             pairs.size(), megabytes, seconds, megabytes / seconds, cpu, megabytes / cpu, usage.ru_maxrss / 1024);
  return 0;
}
