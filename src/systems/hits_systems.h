#pragma once

// The web baselines of COPA: how strongly premise and choice go together by the number of documents that hold them. The
// premise is the question's context, or its question where there is no context.

#include <cstdint>
#include <memory>

#include "gumption/corpus/hits_source.h"
#include "gumption/systems/system.h"

namespace gumption {

/// With h documents of N in all: pointwise mutual information, log2(N h(x,y) / (h(x) h(y))), or the Dice coefficient,
/// 2 h(x,y) / (h(x) + h(y)).
enum class HitStatistic { kPmi, kDice };

/// What a pair that no document holds says.
enum class ZeroHits {
  kZero,    // 0: for PMI as if the two were independent
  kSkip,    // nothing: it is left out of the average; 0 where no pair is left
  kSmooth,  // every count, zero or not, is taken as one more than it is
};

/// The documents that hold one thing, another, and both.
struct PairHits {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  std::uint64_t both = 0;
};

/// How strongly two things go together; `total` is the number of documents. Empty where `zero` says to skip the pair.
std::optional<double> correlation(const PairHits& hits, std::uint64_t total, HitStatistic statistic, ZeroHits zero);

/// What both systems share. The source is opened at the first question.
struct HitsOptions {
  HitSourceOptions source;
  HitStatistic statistic = HitStatistic::kPmi;
  ZeroHits zero = ZeroHits::kZero;
};

struct HitsPairOptions : HitsOptions {};
OptionSet describe(HitsPairOptions& options);

/// The mean correlation over all pairs of a content word (no stop word) of the premise and one of the choice; 0 where
/// there is no pair.
class HitsPairSystem final : public System {
 public:
  explicit HitsPairSystem(HitsPairOptions options) : options_(std::move(options)) {}
  std::vector<Answer> answer(std::span<const Question> questions) override;

 private:
  HitsPairOptions options_;
  std::unique_ptr<HitCounter> counter_;
};

/// When a document holds a whole text.
enum class TextMatch { kPhrase, kWords, kContentWords };

struct HitsPhraseOptions : HitsOptions {
  TextMatch match = TextMatch::kContentWords;
};
OptionSet describe(HitsPhraseOptions& options);

/// The correlation of the premise and the choice as whole texts.
class HitsPhraseSystem final : public System {
 public:
  explicit HitsPhraseSystem(HitsPhraseOptions options) : options_(std::move(options)) {}
  std::vector<Answer> answer(std::span<const Question> questions) override;

 private:
  HitsPhraseOptions options_;
  std::unique_ptr<HitCounter> counter_;
};

}  // namespace gumption
