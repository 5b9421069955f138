#include "gumption/systems/correlation_systems.h"

#include <cmath>
#include <optional>
#include <set>

#include "gumption/base/error.h"
#include "gumption/corpus/open_counts.h"
#include "gumption/text/stop_words.h"
#include "gumption/text/words.h"

namespace gumption {

namespace {

OptionSet describe_shared(CorrelationOptions& options) {
  OptionSet set;
  set.add("corpus", options.corpus, "Text to count in (files, folders, patterns, archives), or a count index");
  set.add("window", options.window, "The second word stands at most so many words behind the first", {1, 10'000});
  set.add("all_words", options.all_words, "Take stop words too, not content words only");
  set.add_choice("form", options.form, "What makes words the same, when counting in text",
                 std::vector<NamedValue<WordForm>>{
                     {"written", WordForm::kWritten}, {"stem", WordForm::kStem}, {"lemma", WordForm::kLemma}});
  set.add_all(describe(options.text));
  set.add("threads", options.threads, "Threads to count with; 0 takes one for each core", {0, 4096});
  return set;
}

}  // namespace

OptionSet describe(PmiOptions& options) {
  OptionSet set = describe_shared(options);
  set.add_choice("zero", options.zero,
                 "A pair that never occurs: counts as 0, is left out of the average, or counts as met half a time",
                 std::vector<NamedValue<ZeroCount>>{
                     {"nothing", ZeroCount::kNothing}, {"skip", ZeroCount::kSkip}, {"smooth", ZeroCount::kSmooth}});
  return set;
}

OptionSet describe(DiceOptions& options) { return describe_shared(options); }

CorrelationSystem::CorrelationSystem(const CorrelationOptions& options) : options_(options) {}

std::vector<std::string> CorrelationSystem::words_of_text(std::string_view text) const {
  std::vector<std::string> words = words_of(text);
  if (!options_.all_words) std::erase_if(words, is_stop_word);
  return words;
}

std::vector<WordPair> CorrelationSystem::pairs_of(const Question& question, std::size_t choice) const {
  const auto premise = words_of_text(question.context.empty() ? question.question : question.context);
  const auto alternative = words_of_text(question.choices[choice]);
  const bool backward = question.notes.asks_for == AsksFor::kCause;
  std::vector<WordPair> pairs;
  pairs.reserve(premise.size() * alternative.size());
  for (const std::string& given : premise) {
    for (const std::string& guessed : alternative) {
      pairs.push_back(backward ? WordPair{guessed, given} : WordPair{given, guessed});
    }
  }
  return pairs;
}

bool CorrelationSystem::wants_questions_first() const { return !is_count_index(options_.corpus); }

std::unique_ptr<PairCounts> CorrelationSystem::counts_for(std::span<const Question> questions) const {
  if (options_.corpus.empty()) throw UsageError("--corpus is required: text to count in, or a count index.");
  std::set<WordPair> pairs;
  for (const Question& question : questions) {
    for (std::size_t i = 0; i < question.choices.size(); ++i) {
      for (WordPair& pair : pairs_of(question, i)) pairs.insert(std::move(pair));
    }
  }
  CountOptions counting;
  counting.windows = {options_.window};
  counting.text = options_.text;
  counting.words.form = options_.form;
  counting.threads = options_.threads;
  return open_counts(options_.corpus, {pairs.begin(), pairs.end()}, counting);
}

void CorrelationSystem::prepare(std::span<const Question> questions) { prepared_ = counts_for(questions); }

double CorrelationSystem::score(const Question& question, std::size_t choice, const PairCounts& counts,
                                std::size_t window) const {
  double sum = 0;
  std::size_t taken = 0;
  for (const auto& [first, second] : pairs_of(question, choice)) {
    const MetWords met = {counts.count_of(first), counts.count_of(second), counts.count_of(first, second)[window],
                          counts.totals().words};
    if (const auto value = correlation(met)) {
      sum += *value;
      ++taken;
    }
  }
  return taken == 0 ? 0 : sum / static_cast<double>(taken);
}

std::vector<Answer> CorrelationSystem::answer(std::span<const Question> questions) {
  const auto counted_now = prepared_ ? nullptr : counts_for(questions);
  const PairCounts& counts = prepared_ ? *prepared_ : *counted_now;
  const std::size_t window = counts.window_index(options_.window);
  std::vector<Answer> answers;
  answers.reserve(questions.size());
  for (const Question& question : questions) {
    std::vector<double> scores;
    for (std::size_t i = 0; i < question.choices.size(); ++i) scores.push_back(score(question, i, counts, window));
    answers.push_back(make_answer(question.id, std::move(scores)));
  }
  return answers;
}

PmiSystem::PmiSystem(const PmiOptions& options) : CorrelationSystem(options), zero_(options.zero) {}

std::optional<double> PmiSystem::correlation(const MetWords& met) const {
  constexpr double kHalf = 0.5;
  auto pair = static_cast<double>(met.pair);
  if (met.pair == 0) {
    if (zero_ == ZeroCount::kSkip) return std::nullopt;
    if (zero_ == ZeroCount::kNothing || met.first == 0 || met.second == 0) return 0;
    pair = kHalf;
  }
  const auto first = static_cast<double>(met.first);
  const auto second = static_cast<double>(met.second);
  return std::log2(pair * static_cast<double>(met.total) / (first * second));
}

std::optional<double> DiceSystem::correlation(const MetWords& met) const {
  if (met.pair == 0) return 0;
  return 2 * static_cast<double>(met.pair) / static_cast<double>(met.first + met.second);
}

}  // namespace gumption
