#include "gumption/data/statistics.h"

#include <algorithm>

#include "gumption/base/random.h"
#include "gumption/text/words.h"

namespace gumption {

namespace {

/// "What may happen after the call ?" → "what may happen"
std::string question_prefix(std::string_view question) {
  constexpr int kPrefixTokens = 3;
  std::string prefix;
  for (int i = 0; i < kPrefixTokens; ++i) {
    const std::string_view token = next_token(question);
    if (token.empty() || token == "?") break;
    prefix.append(prefix.empty() ? "" : " ").append(to_lower(token));
  }
  while (prefix.ends_with('?') || prefix.ends_with(',')) prefix.pop_back();
  return prefix;
}

}  // namespace

void StatisticsCollector::Part::add(std::string_view text) {
  ++count;
  std::size_t length = 0;
  for (std::string_view piece = next_token(text); !piece.empty(); piece = next_token(text)) {
    ++length;
    token = to_lower(piece);
    vocabulary.insert(token);
  }
  tokens += length;
  longest = std::max(longest, length);
}

PartStatistics StatisticsCollector::Part::result() const {
  const double mean = count == 0 ? 0 : static_cast<double>(tokens) / static_cast<double>(count);
  return {count, mean, longest, vocabulary.size()};
}

void StatisticsCollector::add(const Question& question) {
  ++totals_.questions;
  ++totals_.choices[question.choices.size()];
  if (!question.context.empty()) {
    context_.add(question.context);
    contexts_.insert(stable_hash(comparable(question.context)));
  }
  if (!question.question.empty()) {
    question_.add(question.question);
    ++prefixes_[question_prefix(question.question)];
  }
  const Notes& notes = question.notes;
  if (!notes.question_type.empty()) ++totals_.question_types[notes.question_type];
  if (!notes.category.empty()) ++totals_.categories[notes.category];
  if (notes.asks_for) ++totals_.asks_for[std::string(to_text(*notes.asks_for))];
  add_answers(question);
}

void StatisticsCollector::add_answers(const Question& question) {
  bool has_none = false;
  for (std::size_t i = 0; i < question.choices.size(); ++i) {
    const std::string& choice = question.choices[i];
    const bool is_none = is_none_of_the_above(choice);
    has_none |= is_none;
    answers_.add(choice);
    if (!question.label) continue;
    const bool right = static_cast<std::size_t>(*question.label) == i;
    (right ? correct_ : incorrect_).add(choice);
    (right ? correct_answers_ : incorrect_answers_).insert(stable_hash(comparable(choice)));
    if (right && is_none) ++totals_.unanswerable;
  }
  if (has_none) ++totals_.with_none_of_the_above;
  if (!question.label) return;
  ++totals_.labelled;
  if (question.context.empty()) return;
  std::unordered_set<std::string> context_words;
  for_each_word(question.context, [&](std::string_view word) { context_words.emplace(word); });
  const auto words = words_of(question.choices[static_cast<std::size_t>(*question.label)]);
  const bool all_there = !words.empty() && std::all_of(words.begin(), words.end(), [&](const std::string& word) {
    return context_words.contains(word);
  });
  if (all_there) ++totals_.answers_in_context;
}

DatasetStatistics StatisticsCollector::result(const std::string& name, std::size_t prefixes) const {
  DatasetStatistics result = totals_;
  result.name = name;
  result.contexts = contexts_.size();
  result.context = context_.result();
  result.question = question_.result();
  result.answers = answers_.result();
  result.correct = correct_.result();
  result.incorrect = incorrect_.result();
  const auto frequency = [](std::size_t count, std::size_t distinct) {
    return distinct == 0 ? 0.0 : static_cast<double>(count) / static_cast<double>(distinct);
  };
  result.correct_frequency = frequency(correct_.count, correct_answers_.size());
  result.incorrect_frequency = frequency(incorrect_.count, incorrect_answers_.size());
  for (const auto& [prefix, count] : prefixes_) result.question_prefixes.push_back({prefix, count});
  std::sort(result.question_prefixes.begin(), result.question_prefixes.end(),
            [](const PrefixCount& a, const PrefixCount& b) {
              return a.count != b.count ? a.count > b.count : a.prefix < b.prefix;
            });
  if (result.question_prefixes.size() > prefixes) result.question_prefixes.resize(prefixes);
  return result;
}

void EventStatisticsCollector::add(const Event& event) {
  ++totals_.rows;
  texts_.insert(stable_hash(event.text));
  for (const auto& inference : event.inferences) {
    auto& dimension = totals_.dimensions[inference.dimension];
    if (!inference.values.empty()) ++dimension.events;
    for (const auto& value : inference.values) ++(value == "none" ? dimension.none : dimension.values);
  }
}

const EventStatistics& EventStatisticsCollector::result() {
  totals_.events = texts_.size();
  return totals_;
}

}  // namespace gumption
