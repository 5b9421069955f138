#pragma once

// From the log-probabilities of a choice's tokens to its score.

#include <span>
#include <vector>

#include <ATen/ATen.h>

#include "gumption/data/answer.h"
#include "gumption/data/question.h"
#include "gumption/systems/model_systems.h"

namespace gumption {

/// Natural log-probabilities of a choice's tokens.
struct ChoiceLikelihood {
  std::vector<double> tokens;
  std::vector<double> prior;  // after nothing, where the normalisation asks for it
  std::size_t length = 0;     // tokens of the choice
};

/// Scores each choice as `options` say. One likelihood for each choice.
Answer likelihood_answer(const Question& question, std::span<const ChoiceLikelihood> likelihoods,
                         const LikelihoodOptions& options);

/// The log-probability of `truth[i]` under row i of `logits`, computed in float32 at least.
at::Tensor log_probabilities(const at::Tensor& logits, const at::Tensor& truth);

}  // namespace gumption
