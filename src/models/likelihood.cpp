#include "gumption/models/likelihood.h"

#include <algorithm>
#include <numeric>

#include "gumption/base/error.h"
#include "gumption/text/unicode.h"

namespace gumption {

namespace {

double sum_of(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

double score_of(const std::string& choice, const ChoiceLikelihood& likelihood, const std::string& normalise) {
  const double sum = sum_of(likelihood.tokens);
  // An empty choice has nothing to divide by; its sum is 0.
  if (normalise == "tokens") return sum / static_cast<double>(std::max<std::size_t>(1, likelihood.length));
  if (normalise == "chars") return sum / static_cast<double>(std::max<std::size_t>(1, count_points(choice)));
  return normalise == "prior" ? sum - sum_of(likelihood.prior) : sum;
}

}  // namespace

Answer likelihood_answer(const Question& question, std::span<const ChoiceLikelihood> likelihoods,
                         const LikelihoodOptions& options) {
  ensure(likelihoods.size() == question.choices.size(), "every choice has a likelihood");
  std::vector<double> scores;
  for (std::size_t i = 0; i < likelihoods.size(); ++i) {
    scores.push_back(score_of(question.choices[i], likelihoods[i], options.normalise));
  }
  Answer answer = make_answer(question.id, std::move(scores));
  if (options.details) {
    for (const ChoiceLikelihood& likelihood : likelihoods) answer.token_log_probabilities.push_back(likelihood.tokens);
  }
  return answer;
}

at::Tensor log_probabilities(const at::Tensor& logits, const at::Tensor& truth) {
  const at::Tensor exact = logits.scalar_type() == at::kDouble ? logits : logits.to(at::kFloat);
  return at::log_softmax(exact, -1).gather(-1, truth.unsqueeze(-1)).squeeze(-1);
}

}  // namespace gumption
