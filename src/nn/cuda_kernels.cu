#include <cuda_bf16.h>

#include "gumption/nn/cuda_kernels.h"

namespace gumption {

namespace {

constexpr int kWarp = 32;
constexpr int kVector = 8;  // bfloat16 numbers in 16 bytes
constexpr int kMostWarps = 8;

/// Sixteen bytes of bfloat16, read and written at once.
struct alignas(16) Vector {
  __nv_bfloat162 pairs[kVector / 2];
};

struct Sums {
  float sum;
  float squares;
};

/// The sums over a block, given to all its threads.
__device__ Sums block_sums(Sums own) {
  __shared__ Sums by_warp[kMostWarps];
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    own.sum += __shfl_xor_sync(0xffffffffU, own.sum, distance);
    own.squares += __shfl_xor_sync(0xffffffffU, own.squares, distance);
  }
  if (blockDim.x == kWarp) return own;
  if (threadIdx.x % kWarp == 0) by_warp[threadIdx.x / kWarp] = own;
  __syncthreads();
  Sums all = {0.0F, 0.0F};
  for (int warp = 0; warp < blockDim.x / kWarp; ++warp) {
    all.sum += by_warp[warp].sum;
    all.squares += by_warp[warp].squares;
  }
  return all;
}

/// A block for each row; a thread holds kVectors stretches of eight numbers.
template <int kVectors>
__global__ void layer_norm_of_sum(const Vector* x, const Vector* y, const Vector* weight, const Vector* bias, Vector* out,
                                  int vectors, float epsilon) {
  const long row = static_cast<long>(blockIdx.x) * vectors;
  float values[kVectors][kVector];
  Sums own = {0.0F, 0.0F};
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    const int at = threadIdx.x + i * blockDim.x;
    if (at >= vectors) continue;
    const Vector a = x[row + at];
    Vector b;
    if (y != nullptr) b = y[row + at];
#pragma unroll
    for (int k = 0; k < kVector / 2; ++k) {
      float2 value = __bfloat1622float2(a.pairs[k]);
      if (y != nullptr) {
        const float2 other = __bfloat1622float2(b.pairs[k]);
        value.x += other.x;
        value.y += other.y;
      }
      values[i][2 * k] = value.x;
      values[i][2 * k + 1] = value.y;
      own.sum += value.x + value.y;
      own.squares += value.x * value.x + value.y * value.y;
    }
  }
  const Sums all = block_sums(own);
  const float count = static_cast<float>(vectors) * kVector;
  const float mean = all.sum / count;
  const float scale = rsqrtf(fmaxf(all.squares / count - mean * mean, 0.0F) + epsilon);
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    const int at = threadIdx.x + i * blockDim.x;
    if (at >= vectors) continue;
    const Vector w = weight[at];
    const Vector b = bias[at];
    Vector result;
#pragma unroll
    for (int k = 0; k < kVector / 2; ++k) {
      const float2 by = __bfloat1622float2(w.pairs[k]);
      const float2 plus = __bfloat1622float2(b.pairs[k]);
      result.pairs[k] = __floats2bfloat162_rn((values[i][2 * k] - mean) * scale * by.x + plus.x,
                                              (values[i][2 * k + 1] - mean) * scale * by.y + plus.y);
    }
    out[row + at] = result;
  }
}

}  // namespace

void launch_layer_norm_of_sum(const void* x, const void* y, const void* weight, const void* bias, void* out,
                              std::int64_t rows, std::int64_t hidden, float epsilon, cudaStream_t stream) {
  const int vectors = static_cast<int>(hidden / kVector);
  const int threads = min(kMostWarps * kWarp, (vectors + kWarp - 1) / kWarp * kWarp);
  const auto launch = [&](auto kernel) {
    kernel<<<static_cast<unsigned>(rows), static_cast<unsigned>(threads), 0, stream>>>(
        static_cast<const Vector*>(x), static_cast<const Vector*>(y), static_cast<const Vector*>(weight),
        static_cast<const Vector*>(bias), static_cast<Vector*>(out), vectors, epsilon);
  };
  if (vectors <= threads) {
    launch(layer_norm_of_sum<1>);
  } else {
    launch(layer_norm_of_sum<4>);  // 8 warps of 8 numbers, four times: 8192
  }
}

}  // namespace gumption
