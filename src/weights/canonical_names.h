#pragma once

// The names under which published files store parameters, and the one name that we give each.

#include <string>
#include <string_view>

#include "gumption/weights/model_config.h"

namespace gumption {

/// What becomes of a stored tensor.
struct CanonicalName {
  std::string name;        // empty: a mask, position ids or an optimiser's state, which no one misses
  bool transpose = false;  // stored input × output where PyTorch has output × input
};

/// For names of PyTorch's state dicts: takes off what DataParallel and wrappers left ("module.", "model."), adds a
/// missing "bert." or "transformer.", and turns LayerNorm's gamma and beta into weight and bias. A name that means
/// nothing to the architecture comes back nearly as it was.
CanonicalName canonical_from_pytorch(std::string_view stored, Architecture architecture);

/// For names of TensorFlow's variables: Google's BERT, bare or in a "module/"; OpenAI's GPT-2 ("model/h0/…").
CanonicalName canonical_from_tensorflow(std::string_view stored, Architecture architecture);

}  // namespace gumption
