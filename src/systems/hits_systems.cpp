#include "gumption/systems/hits_systems.h"

#include <cmath>
#include <unordered_map>

#include "gumption/text/stop_words.h"
#include "gumption/text/words.h"

namespace gumption {

namespace {

const std::string& premise_of(const Question& question) {
  return question.context.empty() ? question.question : question.context;
}

std::vector<std::string> content_words(std::string_view text) {
  std::vector<std::string> words;
  for_each_word(text, [&](std::string_view word) {
    if (!is_stop_word(word)) words.emplace_back(word);
  });
  return words;
}

/// Collects the queries of a batch, each once, so that they are asked together.
class HitTable {
 public:
  using Id = std::size_t;

  Id ask(const HitQuery& query) {
    HitQuery plain = canonical(query);
    const auto [place, fresh] = ids_.emplace(key_of(plain), queries_.size());
    if (fresh) queries_.push_back(std::move(plain));
    return place->second;
  }

  void fetch(HitCounter& counter) { counts_ = counter.count(queries_); }

  /// After fetch().
  std::uint64_t operator[](Id id) const { return counts_[id]; }

 private:
  std::unordered_map<std::string, Id> ids_;
  std::vector<HitQuery> queries_;
  std::vector<std::uint64_t> counts_;
};

/// Where in a HitTable the counts of a pair will be.
struct PairIds {
  HitTable::Id first = 0;
  HitTable::Id second = 0;
  HitTable::Id both = 0;
};

PairIds ask_pair(HitTable& table, const std::string& first, const std::string& second, HitMatch match) {
  return {table.ask({first, "", match}), table.ask({second, "", match}), table.ask({first, second, match})};
}

double mean_correlation(const HitTable& table, const std::vector<PairIds>& pairs, std::uint64_t total,
                        const HitsOptions& options) {
  double sum = 0;
  std::size_t kept = 0;
  for (const PairIds& ids : pairs) {
    const PairHits hits{table[ids.first], table[ids.second], table[ids.both]};
    const auto value = correlation(hits, total, options.statistic, options.zero);
    if (!value) continue;
    sum += *value;
    ++kept;
  }
  return kept == 0 ? 0 : sum / static_cast<double>(kept);
}

/// Scores each choice by the mean correlation of the pairs that pairs_of(table, question, choice) asks for.
template <class PairsOf>
std::vector<Answer> answer_by_pairs(std::span<const Question> questions, const HitsOptions& options,
                                    std::unique_ptr<HitCounter>& counter, PairsOf&& pairs_of) {
  if (!counter) counter = open_hits(options.source);
  HitTable table;
  std::vector<std::vector<PairIds>> pairs;
  for (const Question& question : questions) {
    for (const std::string& choice : question.choices) pairs.push_back(pairs_of(table, question, choice));
  }
  table.fetch(*counter);
  const std::uint64_t total = counter->total();
  std::vector<Answer> answers;
  std::size_t next = 0;
  for (const Question& question : questions) {
    std::vector<double> scores;
    for (std::size_t i = 0; i < question.choices.size(); ++i) {
      scores.push_back(mean_correlation(table, pairs[next++], total, options));
    }
    answers.push_back(make_answer(question.id, std::move(scores)));
  }
  return answers;
}

OptionSet describe_shared(HitsOptions& options) {
  OptionSet set = describe(options.source);
  set.add_choice("statistic", options.statistic, "Pointwise mutual information or the Dice coefficient",
                 std::vector<NamedValue<HitStatistic>>{{"pmi", HitStatistic::kPmi}, {"dice", HitStatistic::kDice}});
  set.add_choice("zero", options.zero,
                 "A pair in no document: scores 0, is left out of the mean, or all counts are taken as one more",
                 std::vector<NamedValue<ZeroHits>>{
                     {"zero", ZeroHits::kZero}, {"skip", ZeroHits::kSkip}, {"smooth", ZeroHits::kSmooth}});
  return set;
}

}  // namespace

std::optional<double> correlation(const PairHits& hits, std::uint64_t total, HitStatistic statistic, ZeroHits zero) {
  if (hits.both == 0 && zero == ZeroHits::kZero) return 0;
  if (hits.both == 0 && zero == ZeroHits::kSkip) return std::nullopt;
  const double added = zero == ZeroHits::kSmooth ? 1 : 0;
  const double first = static_cast<double>(hits.first) + added;
  const double second = static_cast<double>(hits.second) + added;
  const double both = static_cast<double>(hits.both) + added;
  if (statistic == HitStatistic::kDice) return 2 * both / (first + second);
  return std::log2((static_cast<double>(total) + added) * both / (first * second));
}

OptionSet describe(HitsPairOptions& options) { return describe_shared(options); }

std::vector<Answer> HitsPairSystem::answer(std::span<const Question> questions) {
  const auto pairs_of = [](HitTable& table, const Question& question, const std::string& choice) {
    const auto premise_words = content_words(premise_of(question));
    const auto choice_words = content_words(choice);
    std::vector<PairIds> pairs;
    for (const std::string& first : premise_words) {
      for (const std::string& second : choice_words) pairs.push_back(ask_pair(table, first, second, HitMatch::kPhrase));
    }
    return pairs;
  };
  return answer_by_pairs(questions, options_, counter_, pairs_of);
}

OptionSet describe(HitsPhraseOptions& options) {
  OptionSet set = describe_shared(options);
  set.add_choice(
      "match", options.match,
      "A document holds a text when its words stand there as a phrase, all of them anywhere, or those that "
      "are no stop words",
      std::vector<NamedValue<TextMatch>>{
          {"phrase", TextMatch::kPhrase}, {"words", TextMatch::kWords}, {"content-words", TextMatch::kContentWords}});
  return set;
}

std::vector<Answer> HitsPhraseSystem::answer(std::span<const Question> questions) {
  const HitMatch match = options_.match == TextMatch::kPhrase ? HitMatch::kPhrase : HitMatch::kWords;
  const auto asked_text = [&](const std::string& text) {
    const bool content_only = options_.match == TextMatch::kContentWords;
    std::string kept;
    for (const std::string& word : content_only ? content_words(text) : words_of(text)) kept += word + ' ';
    return kept;
  };
  const auto pairs_of = [&](HitTable& table, const Question& question, const std::string& choice) {
    const std::string first = asked_text(premise_of(question));
    const std::string second = asked_text(choice);
    if (first.empty() || second.empty()) return std::vector<PairIds>();
    return std::vector<PairIds>{ask_pair(table, first, second, match)};
  };
  return answer_by_pairs(questions, options_, counter_, pairs_of);
}

}  // namespace gumption
