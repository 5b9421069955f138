#include <cuda_bf16.h>

#include "gumption/nn/word_loss_kernels.h"

namespace gumption {

namespace {

constexpr int kWarp = 32;
constexpr int kThreads = 512;
constexpr int kWarps = kThreads / kWarp;
constexpr unsigned kAllLanes = 0xffffffffU;
constexpr int kVector = 8;  // bfloat16 numbers in 16 bytes

struct alignas(16) Vector {
  __nv_bfloat162 pairs[kVector / 2];
};

/// The largest of some numbers, and the sum of exp(number - largest).
struct Softened {
  float most;
  float sum;
};

__device__ Softened merged(const Softened& a, const Softened& b) {
  const float most = fmaxf(a.most, b.most);
  if (most == -INFINITY) return {most, 0.0F};
  return {most, a.sum * __expf(a.most - most) + b.sum * __expf(b.most - most)};
}

__device__ Softened merged_over_block(Softened own) {
  __shared__ Softened of_warps[kWarps];
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    own = merged(own, {__shfl_xor_sync(kAllLanes, own.most, distance), __shfl_xor_sync(kAllLanes, own.sum, distance)});
  }
  if (threadIdx.x % kWarp == 0) of_warps[threadIdx.x / kWarp] = own;
  __syncthreads();
  Softened all = of_warps[0];
  for (int i = 1; i < kWarps; ++i) all = merged(all, of_warps[i]);
  return all;
}

/// Eight logits with their bias; -inf behind the vocabulary's end.
__device__ void read_logits(const WordLoss& in, const Vector& vector, long column, float (&values)[kVector]) {
#pragma unroll
  for (int k = 0; k < kVector / 2; ++k) {
    const float2 pair = __bfloat1622float2(vector.pairs[k]);
    values[2 * k] = pair.x;
    values[2 * k + 1] = pair.y;
  }
#pragma unroll
  for (int k = 0; k < kVector; ++k) {
    const bool counts = column + k < in.vocabulary;
    if (counts && in.bias != nullptr) values[k] += in.bias[column + k];
    if (!counts) values[k] = -INFINITY;
  }
}

/// A block for each row.
__global__ void __launch_bounds__(kThreads) word_loss(WordLoss in) {
  const long row = blockIdx.x;
  auto* const logits = reinterpret_cast<Vector*>(static_cast<__nv_bfloat16*>(in.logits) + row * in.width);
  const long vectors = in.width / kVector;
  const long word = in.words[row];
  const float weight = in.weights[row];
  float values[kVector];
  Softened own = {-INFINITY, 0.0F};
  for (long i = threadIdx.x; i < vectors; i += kThreads) {
    read_logits(in, logits[i], i * kVector, values);
    float most = values[0];
#pragma unroll
    for (int k = 1; k < kVector; ++k) most = fmaxf(most, values[k]);
    if (most == -INFINITY) continue;
    float sum = 0.0F;
#pragma unroll
    for (int k = 0; k < kVector; ++k) sum += __expf(values[k] - most);
    own = merged(own, {most, sum});
  }
  const Softened all = merged_over_block(own);
  const float log_sum = all.most + logf(all.sum);
  for (long i = threadIdx.x; i < vectors; i += kThreads) {
    const long column = i * kVector;
    read_logits(in, logits[i], column, values);
    if (word >= column && word < column + kVector) in.losses[row] = weight * (log_sum - values[word - column]);
#pragma unroll
    for (int k = 0; k < kVector; ++k) {
      const float chance = __expf(values[k] - log_sum);
      values[k] = weight * (column + k == word ? chance - 1.0F : chance);
    }
    Vector gradient;
#pragma unroll
    for (int k = 0; k < kVector / 2; ++k) {
      gradient.pairs[k] = __floats2bfloat162_rn(values[2 * k], values[2 * k + 1]);
    }
    logits[i] = gradient;
  }
}

}  // namespace

void launch_word_loss(const WordLoss& loss, cudaStream_t stream) {
  word_loss<<<static_cast<unsigned>(loss.rows), kThreads, 0, stream>>>(loss);
}

}  // namespace gumption
