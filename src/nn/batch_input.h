#pragma once

#include <ATen/ATen.h>

#include "gumption/nn/attention.h"
#include "gumption/nn/packed.h"

namespace gumption {

/// A batch as the models take it, on their device.
struct BatchInput {
  BatchInput(const PackedTokens& tokens, Sight sight, const at::TensorOptions& options)
      : ids(to_device(tokens.ids, options)),
        positions(to_device(tokens.positions, options)),
        types(tokens.types.empty() ? at::Tensor() : to_device(tokens.types, options)),
        attention(tokens.layout, sight, options) {}

  /// From tensors that are on the device already.
  BatchInput(at::Tensor token_ids, at::Tensor token_positions, at::Tensor token_types, AttentionPlan plan)
      : ids(std::move(token_ids)),
        positions(std::move(token_positions)),
        types(std::move(token_types)),
        attention(std::move(plan)) {}

  at::Tensor ids;
  at::Tensor positions;
  at::Tensor types;  // undefined for models that have none
  AttentionPlan attention;
};

}  // namespace gumption
