#pragma once

// COPA's first baseline: how strongly the words of the premise and of each alternative go together in a large text.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gumption/corpus/pair_counts.h"
#include "gumption/corpus/text_options.h"
#include "gumption/corpus/word_forms.h"
#include "gumption/systems/system.h"

namespace gumption {

/// What the two measures share. docs/corpus.md says why the defaults are as they are.
struct CorrelationOptions {
  std::vector<std::string> corpus;  // a count index, or text: files, folders, patterns, archives, "-"
  std::uint64_t window = 5;
  bool all_words = false;  // stop words too
  WordForm form = WordForm::kWritten;
  TextOptions text;
  std::uint64_t threads = 0;
};

/// What a pair says whose words never meet: the logarithm of its probability isn't there.
enum class ZeroCount {
  kNothing,  // 0, which is less than the log2 W of independent words
  kSkip,     // it takes no part in the average
  kSmooth,   // as if it had been met half a time
};

struct PmiOptions : CorrelationOptions {
  ZeroCount zero = ZeroCount::kNothing;
};
OptionSet describe(PmiOptions& options);

struct DiceOptions : CorrelationOptions {};
OptionSet describe(DiceOptions& options);

/// How often two words and the first before the second were met in how many words of text.
struct MetWords {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  std::uint64_t pair = 0;
  std::uint64_t total = 0;
};

/// The score of an alternative: the sum of a correlation over all pairs of a premise's and an alternative's content
/// words, divided by their number. Premise words stand first; where the question asks for a cause, second. The premise
/// is the context, or the question where there is no context. An alternative or premise without content words
/// scores 0.
///
/// Text is read once in prepare(), a count index not before answer(). Without prepare(), answer() reads the text for
/// the questions it gets; after it, only questions that it saw may be asked.
class CorrelationSystem : public System {
 public:
  explicit CorrelationSystem(const CorrelationOptions& options);

  bool wants_questions_first() const override;
  void prepare(std::span<const Question> questions) override;
  std::vector<Answer> answer(std::span<const Question> questions) override;

 protected:
  /// A pair's correlation; nothing where it takes no part in the average. `pair` may be 0, and then the others too.
  virtual std::optional<double> correlation(const MetWords& met) const = 0;

 private:
  std::vector<std::string> words_of_text(std::string_view text) const;
  std::vector<WordPair> pairs_of(const Question& question, std::size_t choice) const;
  std::unique_ptr<PairCounts> counts_for(std::span<const Question> questions) const;
  double score(const Question& question, std::size_t choice, const PairCounts& counts, std::size_t window) const;

  CorrelationOptions options_;
  std::unique_ptr<PairCounts> prepared_;
};

/// Pointwise mutual information, log2 of P(x before y within W) / (P(x) P(y)), each estimated by its count over the
/// number of words (Church and Hanks).
class PmiSystem final : public CorrelationSystem {
 public:
  explicit PmiSystem(const PmiOptions& options);

 protected:
  std::optional<double> correlation(const MetWords& met) const override;

 private:
  ZeroCount zero_;
};

/// Dice's coefficient, 2 C(x before y within W) / (C(x) + C(y)).
class DiceSystem final : public CorrelationSystem {
 public:
  explicit DiceSystem(const DiceOptions& options) : CorrelationSystem(options) {}

 protected:
  std::optional<double> correlation(const MetWords& met) const override;
};

}  // namespace gumption
