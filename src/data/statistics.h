#pragma once

// What the papers' tables say about a benchmark: Cosmos QA's Table 1 and Figure 2, Social IQA's Table 1 and Figure 3,
// CODAH's Table 2.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "gumption/data/event.h"
#include "gumption/data/question.h"

namespace gumption {

/// Lengths in tokens (by white space) and the distinct lower-cased tokens of one part of the questions.
struct PartStatistics {
  std::size_t count = 0;
  double mean_tokens = 0;
  std::size_t max_tokens = 0;
  std::size_t unique_tokens = 0;
};

struct PrefixCount {
  std::string prefix;
  std::size_t count = 0;
};

struct DatasetStatistics {
  std::string name;
  std::size_t questions = 0;
  std::size_t labelled = 0;
  std::size_t contexts = 0;  // distinct
  PartStatistics context;
  PartStatistics question;
  PartStatistics answers;
  PartStatistics correct;
  PartStatistics incorrect;
  double correct_frequency = 0;  // how often a distinct correct answer occurs on average
  double incorrect_frequency = 0;
  std::size_t with_none_of_the_above = 0;
  std::size_t unanswerable = 0;                // "none of the above" is right
  std::size_t answers_in_context = 0;          // right answers all of whose words stand in the context
  std::map<std::size_t, std::size_t> choices;  // number of choices → questions
  std::map<std::string, std::size_t> question_types;
  std::map<std::string, std::size_t> categories;
  std::map<std::string, std::size_t> asks_for;
  std::vector<PrefixCount> question_prefixes;  // first three tokens, most frequent first
};

/// Gathers statistics over questions that pass by. Not thread-safe.
class StatisticsCollector {
 public:
  void add(const Question& question);

  /// `prefixes`: how many of the most frequent trigram prefixes to give.
  DatasetStatistics result(const std::string& name, std::size_t prefixes) const;

 private:
  /// One part while it is being counted.
  struct Part {
    void add(std::string_view text);
    PartStatistics result() const;

    std::size_t count = 0;
    std::size_t tokens = 0;
    std::size_t longest = 0;
    std::unordered_set<std::string> vocabulary;
    std::string token;  // reused
  };

  void add_answers(const Question& question);

  DatasetStatistics totals_;
  Part context_;
  Part question_;
  Part answers_;
  Part correct_;
  Part incorrect_;
  std::unordered_set<std::uint64_t> contexts_;
  std::unordered_set<std::uint64_t> correct_answers_;
  std::unordered_set<std::uint64_t> incorrect_answers_;
  std::unordered_map<std::string, std::size_t> prefixes_;
};

struct EventStatistics {
  std::size_t rows = 0;
  std::size_t events = 0;  // distinct texts
  struct Dimension {
    std::size_t events = 0;  // rows that say something about it
    std::size_t values = 0;  // inferences other than "none"
    std::size_t none = 0;    // inferences "none"
  };
  std::map<std::string, Dimension> dimensions;
};

class EventStatisticsCollector {
 public:
  void add(const Event& event);
  const EventStatistics& result();

 private:
  EventStatistics totals_;
  std::unordered_set<std::uint64_t> texts_;
};

}  // namespace gumption
