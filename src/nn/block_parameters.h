#pragma once

// A layer's parameters and their gradients as the fused training block takes them.

#include <vector>

#include "gumption/nn/layers.h"
#include "gumption/nn/training_block.h"

namespace gumption {

/// One layer that has the outputs of several side by side, without a copy: their tensors, and the tensors of their
/// gradients, must lie behind each other in memory. Empty tensors, which no kernel supports, where they don't.
BlockLinear block_linear(const std::vector<const Linear*>& layers);

BlockNorm block_norm(const LayerNorm& norm);

}  // namespace gumption
