#pragma once

// A post-norm transformer block (BERT's, GPT-1's) for training on a GPU: the whole block is one step of the autograd
// graph, whose backward pass is written out. Between the matrix products stand our own kernels, which do in one launch
// what LibTorch does in several; at the few hundred tokens of a training batch, launches are most of the time.

#include <cstdint>

#include <ATen/ATen.h>

#include "gumption/nn/layers.h"
#include "gumption/nn/packed.h"
#include "gumption/weights/model_config.h"

namespace gumption {

/// A linear layer's tensors. Matrices are bfloat16; biases and gradients of biases float32.
struct BlockLinear {
  at::Tensor weight;
  at::Tensor weight_gradient;  // of the same shape and precision, contiguous
  at::Tensor bias;             // [outputs]
  at::Tensor bias_gradient;
};

/// Float32 [hidden].
struct BlockNorm {
  at::Tensor weight;
  at::Tensor bias;
  at::Tensor weight_gradient;
  at::Tensor bias_gradient;
};

struct BlockParameters {
  BlockLinear attention;         // queries, keys and values side by side: 3 * hidden outputs
  BlockLinear attention_output;  // hidden to hidden
  BlockLinear inner;             // hidden to the inner width
  BlockLinear output;            // back to hidden
  BlockNorm attention_norm;
  BlockNorm output_norm;
  MatrixForm form = MatrixForm::kOutputsByInputs;
};

struct BlockSettings {
  std::int64_t heads = 0;
  double epsilon = 1e-12;
  Activation activation = Activation::kGeluExact;
  bool causal = false;
  double attention_dropout = 0;
  double residual_dropout = 0;
  std::int64_t index = 0;  // of the block in its model: each draws other numbers
};

/// Whether there are kernels for such a block: CUDA in the build, bfloat16 on a GPU, tensors aligned to 16 bytes,
/// hidden a multiple of 8 and at most 2048, a GELU.
bool training_block_is_supported(const at::Tensor& x, const BlockParameters& parameters, const BlockSettings& settings);

/// x: [tokens, hidden] in bfloat16; the offsets' segments cover all tokens. seed: one int64 on the device, read by the
/// kernels when they run, so that a recorded CUDA graph draws anew at each replay. (Where attention is LibTorch's, see
/// TrainingAttention, it draws from LibTorch's generator.)
///
/// Only x's gradient flows through autograd, so x must require one for the backward pass to run at all. It runs once,
/// and adds the parameters' gradients straight to what their tensors hold.
at::Tensor training_block(const at::Tensor& x, const BlockParameters& parameters, const SegmentOffsets& offsets,
                          const BlockSettings& settings, const at::Tensor& seed);

}  // namespace gumption
