#pragma once

// Plain pointers, so that nvcc need not read LibTorch's headers.

#include <cstdint>

#include <cuda_runtime_api.h>

namespace gumption {

/// For each row: loss = -weight * log softmax(logits + bias)[word], and the logits are replaced by the loss's gradient.
struct WordLoss {
  void* logits = nullptr;       // [rows, width] in bfloat16, aligned to 16 bytes; gradients afterwards
  const float* bias = nullptr;  // [words], or nullptr
  const std::int64_t* words = nullptr;
  const float* weights = nullptr;
  float* losses = nullptr;  // [rows]
  std::int64_t rows = 0;
  std::int64_t vocabulary = 0;  // columns that count; the others' gradients are zero
  std::int64_t width = 0;       // a multiple of 8
};
void launch_word_loss(const WordLoss& loss, cudaStream_t stream);

}  // namespace gumption
