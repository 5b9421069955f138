#include <algorithm>
#include <cmath>

#include <cuda_bf16.h>
#include <mma.h>

#include "gumption/nn/training_kernels.h"

namespace gumption {

namespace {

constexpr int kWarp = 32;
constexpr unsigned kAllLanes = 0xffffffffU;
constexpr int kVector = 8;  // bfloat16 numbers in 16 bytes

using Bfloat = __nv_bfloat16;

/// Sixteen bytes of bfloat16, read and written at once.
struct alignas(16) Vector {
  __nv_bfloat162 pairs[kVector / 2];
};

__device__ void unpack(const Vector& from, float (&to)[kVector]) {
#pragma unroll
  for (int k = 0; k < kVector / 2; ++k) {
    const float2 pair = __bfloat1622float2(from.pairs[k]);
    to[2 * k] = pair.x;
    to[2 * k + 1] = pair.y;
  }
}

__device__ Vector pack(const float (&from)[kVector]) {
  Vector to;
#pragma unroll
  for (int k = 0; k < kVector / 2; ++k) to.pairs[k] = __floats2bfloat162_rn(from[2 * k], from[2 * k + 1]);
  return to;
}

__device__ void read_floats(const float* from, float (&to)[kVector]) {
  const float4 low = reinterpret_cast<const float4*>(from)[0];
  const float4 high = reinterpret_cast<const float4*>(from)[1];
  to[0] = low.x;
  to[1] = low.y;
  to[2] = low.z;
  to[3] = low.w;
  to[4] = high.x;
  to[5] = high.y;
  to[6] = high.z;
  to[7] = high.w;
}

__device__ void write_floats(const float (&from)[kVector], float* to) {
  reinterpret_cast<float4*>(to)[0] = make_float4(from[0], from[1], from[2], from[3]);
  reinterpret_cast<float4*>(to)[1] = make_float4(from[4], from[5], from[6], from[7]);
}

__device__ float sum_of_warp(float value) {
  for (int distance = kWarp / 2; distance > 0; distance /= 2) value += __shfl_xor_sync(kAllLanes, value, distance);
  return value;
}

// Dropout ------------------------------------------------------------------------------------------------------------

/// Draws of different kinds never meet, whatever their sites.
constexpr unsigned kNormDraws = 0;
constexpr unsigned kAttentionDraws = 1;

/// A DropoutDraw as kernels need it.
struct Draw {
  const std::int64_t* seed;
  unsigned site;
  unsigned kind;
  unsigned threshold;  // of 16 random bits: those below it fall
  float keep_scale;
};

constexpr int kDrawBits = 16;  // for each number, so that one draw serves a Vector
constexpr unsigned kDrawRange = 1U << kDrawBits;

Draw to_draw(const DropoutDraw& from, unsigned kind) {
  Draw draw{};
  draw.seed = from.seed;
  draw.site = from.site;
  draw.kind = kind;
  const long threshold = std::lround(static_cast<double>(from.probability) * kDrawRange);
  draw.threshold = static_cast<unsigned>(std::min(std::max(threshold, 0L), static_cast<long>(kDrawRange) - 1));
  draw.keep_scale = static_cast<float>(kDrawRange) / static_cast<float>(kDrawRange - draw.threshold);
  return draw;
}

/// Philox4x32 with ten rounds (Salmon et al., 2011).
__device__ uint4 philox(uint2 key, uint4 counter) {
  constexpr unsigned kMultiplierX = 0xD2511F53U;
  constexpr unsigned kMultiplierZ = 0xCD9E8D57U;
  constexpr unsigned kKeyStepX = 0x9E3779B9U;
  constexpr unsigned kKeyStepY = 0xBB67AE85U;
  constexpr int kRounds = 10;
#pragma unroll
  for (int i = 0; i < kRounds; ++i) {
    const unsigned high_x = __umulhi(kMultiplierX, counter.x);
    const unsigned low_x = kMultiplierX * counter.x;
    const unsigned high_z = __umulhi(kMultiplierZ, counter.z);
    const unsigned low_z = kMultiplierZ * counter.z;
    counter = make_uint4(high_z ^ counter.y ^ key.x, low_z, high_x ^ counter.w ^ key.y, low_x);
    key.x += kKeyStepX;
    key.y += kKeyStepY;
  }
  return counter;
}

__device__ uint2 key_of(const Draw& draw) {
  const auto seed = static_cast<unsigned long long>(*draw.seed);
  return make_uint2(static_cast<unsigned>(seed), static_cast<unsigned>(seed >> 32));
}

/// What the eight numbers of a group are multiplied by: zero or keep_scale.
__device__ void draw_factors(const Draw& draw, uint2 key, long group, float (&factors)[kVector]) {
  const auto place = static_cast<unsigned long long>(group);
  const uint4 bits =
      philox(key, make_uint4(static_cast<unsigned>(place), static_cast<unsigned>(place >> 32), draw.site, draw.kind));
  const unsigned words[kVector / 2] = {bits.x, bits.y, bits.z, bits.w};
#pragma unroll
  for (int k = 0; k < kVector; ++k) {
    const unsigned own = k % 2 == 0 ? words[k / 2] & (kDrawRange - 1) : words[k / 2] >> kDrawBits;
    factors[k] = own >= draw.threshold ? draw.keep_scale : 0.0F;
  }
}

// Norms --------------------------------------------------------------------------------------------------------------

constexpr int kNormWarps = 4;  // of a block: each takes a row at a time
constexpr int kNormSums = 3;   // of weight, of norm_bias, of bias

/// A warp for each row; a lane holds kVectors stretches of eight numbers.
template <int kVectors, bool kDrops>
__global__ void __launch_bounds__(kNormWarps* kWarp)
    dropped_norm(const __grid_constant__ DroppedNorm a, const __grid_constant__ Draw draw, int vectors) {
  const long row = static_cast<long>(blockIdx.x) * kNormWarps + threadIdx.x / kWarp;
  if (row >= a.rows) return;
  const long first = row * vectors;
  const int lane = threadIdx.x % kWarp;
  uint2 key = make_uint2(0, 0);
  if (kDrops) key = key_of(draw);
  // All on their way before the first is waited for.
  Vector inputs[kVectors];
  Vector residuals[kVectors];
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    const int at = lane + i * kWarp;
    if (at >= vectors) continue;
    inputs[i] = static_cast<const Vector*>(a.x)[first + at];
    residuals[i] = static_cast<const Vector*>(a.residual)[first + at];
  }
  float values[kVectors][kVector];
  float sum = 0.0F;
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    const int at = lane + i * kWarp;
    if (at >= vectors) continue;
    float residual[kVector];
    float bias[kVector];
    unpack(inputs[i], values[i]);
    unpack(residuals[i], residual);
    read_floats(a.bias + at * kVector, bias);
    float factors[kVector];
    if (kDrops) draw_factors(draw, key, first + at, factors);
#pragma unroll
    for (int k = 0; k < kVector; ++k) {
      const float own = values[i][k] + bias[k];
      values[i][k] = (kDrops ? own * factors[k] : own) + residual[k];
    }
    // The statistics are those of what is stored: what the backward pass reads.
    const Vector rounded = pack(values[i]);
    static_cast<Vector*>(a.sum)[first + at] = rounded;
    unpack(rounded, values[i]);
#pragma unroll
    for (int k = 0; k < kVector; ++k) sum += values[i][k];
  }
  const float count = static_cast<float>(vectors) * kVector;
  const float mean = sum_of_warp(sum) / count;
  float squares = 0.0F;
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    if (lane + i * kWarp >= vectors) continue;
#pragma unroll
    for (int k = 0; k < kVector; ++k) squares += (values[i][k] - mean) * (values[i][k] - mean);
  }
  const float scale = rsqrtf(sum_of_warp(squares) / count + a.epsilon);
  if (lane == 0) {
    a.mean[row] = mean;
    a.scale[row] = scale;
  }
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    const int at = lane + i * kWarp;
    if (at >= vectors) continue;
    float weight[kVector];
    float bias[kVector];
    read_floats(a.weight + at * kVector, weight);
    read_floats(a.norm_bias + at * kVector, bias);
#pragma unroll
    for (int k = 0; k < kVector; ++k) values[i][k] = (values[i][k] - mean) * scale * weight[k] + bias[k];
    static_cast<Vector*>(a.out)[first + at] = pack(values[i]);
  }
}

/// A block for each stretch of rows; its warps take turns at them, and a lane keeps the sums of its columns.
template <int kVectors, bool kDrops>
__global__ void __launch_bounds__(kNormWarps* kWarp)
    dropped_norm_backward(const __grid_constant__ DroppedNormBackward a, const __grid_constant__ Draw draw, int vectors,
                          int rows_of_block) {
  extern __shared__ __align__(16) float block_sums[];  // [kNormSums, hidden]
  const int warp = threadIdx.x / kWarp;
  const int lane = threadIdx.x % kWarp;
  const int hidden = vectors * kVector;
  const float share = 1.0F / static_cast<float>(hidden);
  uint2 key = make_uint2(0, 0);
  if (kDrops) key = key_of(draw);
  float sums[kNormSums][kVectors][kVector] = {};
  const long begin = static_cast<long>(blockIdx.x) * rows_of_block;
  const long end = min(begin + rows_of_block, static_cast<long>(a.rows));
  for (long row = begin + warp; row < end; row += kNormWarps) {
    const long first = row * vectors;
    const float mean = a.mean[row];
    const float scale = a.scale[row];
    Vector gradients[kVectors];
    Vector inputs[kVectors];
#pragma unroll
    for (int i = 0; i < kVectors; ++i) {
      const int at = lane + i * kWarp;
      if (at >= vectors) continue;
      gradients[i] = static_cast<const Vector*>(a.out_gradient)[first + at];
      inputs[i] = static_cast<const Vector*>(a.sum)[first + at];
    }
    float sum = 0.0F;       // of the normalised rows' gradient
    float products = 0.0F;  // of it and the normalised row
#pragma unroll
    for (int i = 0; i < kVectors; ++i) {
      const int at = lane + i * kWarp;
      if (at >= vectors) continue;
      float gradient[kVector];
      float input[kVector];
      float weight[kVector];
      unpack(gradients[i], gradient);
      unpack(inputs[i], input);
      read_floats(a.weight + at * kVector, weight);
#pragma unroll
      for (int k = 0; k < kVector; ++k) {
        const float normalised = (input[k] - mean) * scale;
        const float own = gradient[k] * weight[k];
        sum += own;
        products += own * normalised;
        sums[0][i][k] += gradient[k] * normalised;
        sums[1][i][k] += gradient[k];
      }
    }
    sum = sum_of_warp(sum) * share;
    products = sum_of_warp(products) * share;
#pragma unroll
    for (int i = 0; i < kVectors; ++i) {
      const int at = lane + i * kWarp;
      if (at >= vectors) continue;
      float gradient[kVector];
      float input[kVector];
      float weight[kVector];
      unpack(gradients[i], gradient);
      unpack(inputs[i], input);
      read_floats(a.weight + at * kVector, weight);
#pragma unroll
      for (int k = 0; k < kVector; ++k) {
        const float normalised = (input[k] - mean) * scale;
        gradient[k] = scale * (gradient[k] * weight[k] - sum - normalised * products);
      }
      static_cast<Vector*>(a.residual_gradient)[first + at] = pack(gradient);
      if (kDrops) {
        float factors[kVector];
        draw_factors(draw, key, first + at, factors);
#pragma unroll
        for (int k = 0; k < kVector; ++k) gradient[k] *= factors[k];
        static_cast<Vector*>(a.x_gradient)[first + at] = pack(gradient);
      }
#pragma unroll
      for (int k = 0; k < kVector; ++k) sums[2][i][k] += gradient[k];
    }
  }
  // One warp after the other, so that the order is always the same.
  for (int turn = 0; turn < kNormWarps; ++turn) {
    if (warp == turn) {
#pragma unroll
      for (int i = 0; i < kVectors; ++i) {
        const int at = lane + i * kWarp;
        if (at >= vectors) continue;
#pragma unroll
        for (int which = 0; which < kNormSums; ++which) {
          float* place = block_sums + which * hidden + at * kVector;
          if (turn > 0) {
            float before[kVector];
            read_floats(place, before);
#pragma unroll
            for (int k = 0; k < kVector; ++k) sums[which][i][k] += before[k];
          }
          write_floats(sums[which][i], place);
        }
      }
    }
    __syncthreads();
  }
  float* out = a.partial_sums + static_cast<long>(blockIdx.x) * kNormSums * hidden;
  for (int i = threadIdx.x; i < kNormSums * hidden; i += kNormWarps * kWarp) out[i] = block_sums[i];
}

std::int64_t divide_up(std::int64_t value, std::int64_t by) { return (value + by - 1) / by; }

/// A block's rows in dropped_norm_backward: one for each warp, until there are as many blocks as run at once.
std::int64_t norm_rows_of_block(std::int64_t rows) {
  constexpr std::int64_t kMostBlocks = 384;
  return kNormWarps * std::max<std::int64_t>(1, divide_up(rows, kNormWarps * kMostBlocks));
}

/// Calls `launch` with the instantiation of kernels<kVectors, kDrops> for rows of so many vectors.
template <template <int, bool> class Kernels, bool kDrops, typename Launch>
void with_kernel(int vectors, const Launch& launch) {
  if (vectors <= kWarp) {
    launch(Kernels<1, kDrops>::kernel());
  } else if (vectors <= 2 * kWarp) {
    launch(Kernels<2, kDrops>::kernel());
  } else if (vectors <= 3 * kWarp) {
    launch(Kernels<3, kDrops>::kernel());
  } else if (vectors <= 4 * kWarp) {
    launch(Kernels<4, kDrops>::kernel());
  } else if (vectors <= 6 * kWarp) {
    launch(Kernels<6, kDrops>::kernel());
  } else {
    launch(Kernels<8, kDrops>::kernel());
  }
}

template <int kVectors, bool kDrops>
struct NormKernels {
  static auto kernel() { return dropped_norm<kVectors, kDrops>; }
};

template <int kVectors, bool kDrops>
struct NormBackwardKernels {
  static auto kernel() { return dropped_norm_backward<kVectors, kDrops>; }
};

// Activations and column sums ----------------------------------------------------------------------------------------

constexpr int kColumnThreads = 128;  // of a block, each with eight columns

template <bool kTanhForm>
__device__ float gelu(float x) {
  if (kTanhForm) {
    constexpr float kSqrtTwoOverPi = 0.7978845608028654F;
    constexpr float kCubic = 0.044715F;
    const float inner = kSqrtTwoOverPi * (x + kCubic * x * x * x);
    // tanh y = 1 - 2 / (1 + e^2y), whose parts may be infinite.
    return x * (1.0F - __fdividef(1.0F, 1.0F + __expf(2.0F * inner)));
  }
  constexpr float kSqrtHalf = 0.7071067811865476F;
  return 0.5F * x * (1.0F + erff(x * kSqrtHalf));
}

template <bool kTanhForm>
__device__ float gelu_derivative(float x) {
  if (kTanhForm) {
    constexpr float kSqrtTwoOverPi = 0.7978845608028654F;
    constexpr float kCubic = 0.044715F;
    const float inner = kSqrtTwoOverPi * (x + kCubic * x * x * x);
    const float tanh = 1.0F - __fdividef(2.0F, 1.0F + __expf(2.0F * inner));
    return 0.5F * (1.0F + tanh) + 0.5F * x * (1.0F - tanh * tanh) * kSqrtTwoOverPi * (1.0F + 3.0F * kCubic * x * x);
  }
  constexpr float kSqrtHalf = 0.7071067811865476F;
  constexpr float kDensityAtZero = 0.3989422804014327F;
  return 0.5F * (1.0F + erff(x * kSqrtHalf)) + x * kDensityAtZero * __expf(-0.5F * x * x);
}

constexpr int kRowsOfGelu = 4;  // of a thread, all on their way at once

template <bool kTanhForm>
__global__ void __launch_bounds__(kColumnThreads) bias_gelu(const __grid_constant__ BiasGelu a, int vectors) {
  const int column = blockIdx.x * kColumnThreads + threadIdx.x;
  if (column >= vectors) return;
  const long row = static_cast<long>(blockIdx.y) * kRowsOfGelu;
  float bias[kVector];
  read_floats(a.bias + static_cast<long>(column) * kVector, bias);
  Vector inputs[kRowsOfGelu];
#pragma unroll
  for (int i = 0; i < kRowsOfGelu; ++i) {
    if (row + i < a.rows) inputs[i] = static_cast<const Vector*>(a.x)[(row + i) * vectors + column];
  }
#pragma unroll
  for (int i = 0; i < kRowsOfGelu; ++i) {
    if (row + i >= a.rows) break;
    float values[kVector];
    unpack(inputs[i], values);
#pragma unroll
    for (int k = 0; k < kVector; ++k) values[k] = gelu<kTanhForm>(values[k] + bias[k]);
    static_cast<Vector*>(a.out)[(row + i) * vectors + column] = pack(values);
  }
}

/// The rows whose sums a block leaves: few of them for few rows, that the whole GPU has something to do.
std::int64_t rows_of_stretch(std::int64_t rows) {
  constexpr std::int64_t kFewest = 8;
  constexpr std::int64_t kMostStretches = 256;
  return std::max(kFewest, divide_up(rows, kMostStretches));
}

/// A block for each stretch of rows and kColumnThreads vectors of columns.
template <bool kTanhForm>
__global__ void __launch_bounds__(kColumnThreads)
    bias_gelu_backward(const __grid_constant__ BiasGeluBackward a, int vectors, int rows_of_block) {
  const int column = blockIdx.x * kColumnThreads + threadIdx.x;
  if (column >= vectors) return;
  const long begin = static_cast<long>(blockIdx.y) * rows_of_block;
  const long end = min(begin + rows_of_block, static_cast<long>(a.rows));
  float bias[kVector];
  read_floats(a.bias + static_cast<long>(column) * kVector, bias);
  float sums[kVector] = {};
  for (long row = begin; row < end; row += kRowsOfGelu) {
    Vector gradients[kRowsOfGelu];
    Vector inputs[kRowsOfGelu];
#pragma unroll
    for (int i = 0; i < kRowsOfGelu; ++i) {
      if (row + i >= end) continue;
      gradients[i] = static_cast<const Vector*>(a.out_gradient)[(row + i) * vectors + column];
      inputs[i] = static_cast<const Vector*>(a.x)[(row + i) * vectors + column];
    }
#pragma unroll
    for (int i = 0; i < kRowsOfGelu; ++i) {
      if (row + i >= end) continue;
      float gradient[kVector];
      float input[kVector];
      unpack(gradients[i], gradient);
      unpack(inputs[i], input);
#pragma unroll
      for (int k = 0; k < kVector; ++k) {
        gradient[k] *= gelu_derivative<kTanhForm>(input[k] + bias[k]);
        sums[k] += gradient[k];
      }
      static_cast<Vector*>(a.x_gradient)[(row + i) * vectors + column] = pack(gradient);
    }
  }
  write_floats(sums, a.partial_sums + (static_cast<long>(blockIdx.y) * vectors + column) * kVector);
}

__global__ void __launch_bounds__(kColumnThreads)
    column_sums(const Vector* x, float* partial_sums, long rows, int vectors, int rows_of_block) {
  const int column = blockIdx.x * kColumnThreads + threadIdx.x;
  if (column >= vectors) return;
  const long begin = static_cast<long>(blockIdx.y) * rows_of_block;
  const long end = min(begin + rows_of_block, rows);
  float sums[kVector] = {};
#pragma unroll 8
  for (long row = begin; row < end; ++row) {
    float values[kVector];
    unpack(x[row * vectors + column], values);
#pragma unroll
    for (int k = 0; k < kVector; ++k) sums[k] += values[k];
  }
  write_floats(sums, partial_sums + (static_cast<long>(blockIdx.y) * vectors + column) * kVector);
}

constexpr int kSumStrips = 16;  // of the parts: a warp for each, which reads 32 columns

__host__ __device__ constexpr int sum_blocks(long columns) { return static_cast<int>((columns + kWarp - 1) / kWarp); }

__global__ void __launch_bounds__(kSumStrips* kWarp) add_up_columns(const __grid_constant__ PartialSums sums) {
  __shared__ float strips[kSumStrips][kWarp];
  int block = blockIdx.x;
  int which = 0;
  while (block >= sum_blocks(sums.all[which].columns)) block -= sum_blocks(sums.all[which++].columns);
  const PartialSums::One& one = sums.all[which];
  const int lane = threadIdx.x % kWarp;
  const int strip = threadIdx.x / kWarp;
  const long column = static_cast<long>(block) * kWarp + lane;
  float sum = 0.0F;
  if (column < one.columns) {
#pragma unroll 8
    for (long part = strip; part < one.parts; part += kSumStrips) sum += one.partial_sums[part * one.stride + column];
  }
  strips[strip][lane] = sum;
  __syncthreads();
  if (strip > 0 || column >= one.columns) return;
  for (int i = 1; i < kSumStrips; ++i) sum += strips[i][lane];
  one.sum[column] = sums.add ? one.sum[column] + sum : sum;
}

// Attention ----------------------------------------------------------------------------------------------------------

constexpr int kTile = 16;  // rows and columns of the tensor cores' matrices
constexpr int kWidth = SegmentAttention::kHeadWidth;
constexpr int kWidthTiles = kWidth / kTile;
constexpr int kPaddedWidth = kWidth + 8;                       // keeps rows in different banks
constexpr int kPaddedScores = kWidth + 4;                      // numbers of a row of scores, or of a row of results
constexpr int kGroups = SegmentAttention::kLongest / kVector;  // of a row of scores, that draw together
constexpr int kLaneGroups = kGroups / 2;                       // two lanes share a row
constexpr int kProjections = 3;                                // queries, keys, values

namespace wmma = nvcuda::wmma;
using Sums = wmma::fragment<wmma::accumulator, kTile, kTile, kTile, float>;
using Left = wmma::fragment<wmma::matrix_a, kTile, kTile, kTile, Bfloat, wmma::row_major>;
using LeftTransposed = wmma::fragment<wmma::matrix_a, kTile, kTile, kTile, Bfloat, wmma::col_major>;
using Right = wmma::fragment<wmma::matrix_b, kTile, kTile, kTile, Bfloat, wmma::row_major>;
using RightTransposed = wmma::fragment<wmma::matrix_b, kTile, kTile, kTile, Bfloat, wmma::col_major>;
using PaddedRow = Bfloat[kPaddedWidth];
using ScoreRow = float[kPaddedScores];

__host__ __device__ constexpr int tiles_of(int rows) { return (rows + kTile - 1) / kTile; }

/// The tokens and the head that a block works on.
struct Part {
  long begin;  // the segment's first token
  int count;   // of its tokens
  int tiles;
  int head;
};

__device__ Part part_of(const SegmentAttention& a) {
  const int begin = a.offsets[blockIdx.x];
  const int count = a.offsets[blockIdx.x + 1] - begin;
  return {begin, count, tiles_of(count), static_cast<int>(blockIdx.y)};
}

/// Copies a head's numbers of a part's tokens, plus a bias unless it is nullptr, and zeros behind them.
__device__ void copy_head(const Part& part, const Bfloat* from, long stride, const float* bias, PaddedRow* to) {
  constexpr int kVectorsOfRow = kWidth / kVector;
  for (int i = threadIdx.x; i < part.tiles * kTile * kVectorsOfRow; i += blockDim.x) {
    const int row = i / kVectorsOfRow;
    const int column = i % kVectorsOfRow * kVector;
    float values[kVector] = {};
    if (row < part.count) {
      unpack(*reinterpret_cast<const Vector*>(from + (part.begin + row) * stride + column), values);
      if (bias != nullptr) {
        float plus[kVector];
        read_floats(bias + column, plus);
#pragma unroll
        for (int k = 0; k < kVector; ++k) values[k] += plus[k];
      }
    }
    *reinterpret_cast<Vector*>(&to[row][column]) = pack(values);
  }
}

/// Queries, keys or values.
__device__ void copy_projected(const SegmentAttention& a, const Part& part, int which, PaddedRow* to) {
  const long hidden = a.heads * kWidth;
  const long place = which * hidden + static_cast<long>(part.head) * kWidth;
  copy_head(part, static_cast<const Bfloat*>(a.projected) + place, kProjections * hidden, a.bias + place, to);
}

/// The products of a warp's rows of `left` with all rows of `right`.
__device__ void multiply_rows(const PaddedRow* left, const PaddedRow* right, int tiles, ScoreRow* to) {
  Left lefts[kWidthTiles];
  for (int d = 0; d < kWidthTiles; ++d) wmma::load_matrix_sync(lefts[d], &left[0][d * kTile], kPaddedWidth);
  for (int tile = 0; tile < tiles; ++tile) {
    Sums sums;
    wmma::fill_fragment(sums, 0.0F);
#pragma unroll
    for (int d = 0; d < kWidthTiles; ++d) {
      RightTransposed of_right;
      wmma::load_matrix_sync(of_right, &right[tile * kTile][d * kTile], kPaddedWidth);
      wmma::mma_sync(sums, lefts[d], of_right, sums);
    }
    wmma::store_matrix_sync(&to[0][tile * kTile], sums, kPaddedScores, wmma::mem_row_major);
  }
}

/// What a lane holds of a row of scores: every other group of eight.
struct LaneRow {
  float values[kLaneGroups][kVector];
};

/// The first key of a lane's i-th group.
__device__ int first_key(int i) { return (2 * i + static_cast<int>(threadIdx.x) % 2) * kVector; }

__device__ float sum_of_pair(float value) { return value + __shfl_xor_sync(kAllLanes, value, 1); }

/// A row's attention weights, before dropout; zero behind `last`, the last key that the row sees.
__device__ LaneRow softmax(const float* scores, int last, int keys, float scale) {
  LaneRow row;
  float most = -INFINITY;
#pragma unroll
  for (int i = 0; i < kLaneGroups; ++i) {
    const int first = first_key(i);
#pragma unroll
    for (int k = 0; k < kVector; ++k) row.values[i][k] = -INFINITY;
    if (first >= keys) continue;
    float read[kVector];
    read_floats(scores + first, read);
#pragma unroll
    for (int k = 0; k < kVector; ++k) {
      if (first + k > last) continue;
      row.values[i][k] = read[k];
      most = fmaxf(most, read[k]);
    }
  }
  most = fmaxf(most, __shfl_xor_sync(kAllLanes, most, 1));
  float total = 0.0F;
#pragma unroll
  for (int i = 0; i < kLaneGroups; ++i) {
#pragma unroll
    for (int k = 0; k < kVector; ++k) {
      const bool seen = first_key(i) + k <= last;
      row.values[i][k] = seen ? __expf((row.values[i][k] - most) * scale) : 0.0F;
      total += row.values[i][k];
    }
  }
  const float share = 1.0F / sum_of_pair(total);
#pragma unroll
  for (int i = 0; i < kLaneGroups; ++i) {
#pragma unroll
    for (int k = 0; k < kVector; ++k) row.values[i][k] *= share;
  }
  return row;
}

/// The last key that a row sees. Rows behind the segment's end see what its last row sees.
__device__ int last_seen(const SegmentAttention& a, const Part& part, int row) {
  return a.causal ? min(part.count - 1, row) : part.count - 1;
}

/// Where a row's i-th group of this lane draws.
__device__ long group_of(const SegmentAttention& a, const Part& part, int row, int i) {
  return ((part.begin + row) * a.heads + part.head) * kGroups + first_key(i) / kVector;
}

constexpr int attention_bytes(int rows) {
  return rows * static_cast<int>(kProjections * sizeof(PaddedRow) + sizeof(ScoreRow));
}

/// A block for each segment and head, a warp for each sixteen queries. `rows`: of each array in shared memory.
template <bool kDrops>
__global__ void segment_attention(const __grid_constant__ SegmentAttention a, const __grid_constant__ Draw draw,
                                  Bfloat* out, int rows, float scale) {
  extern __shared__ __align__(128) char memory[];
  const Part part = part_of(a);
  if (part.count <= 0) return;
  auto* queries = reinterpret_cast<PaddedRow*>(memory);
  PaddedRow* keys = queries + rows;
  PaddedRow* values = keys + rows;
  auto* scores = reinterpret_cast<ScoreRow*>(values + rows);
  copy_projected(a, part, 0, queries);
  copy_projected(a, part, 1, keys);
  copy_projected(a, part, 2, values);
  __syncthreads();

  const int first = threadIdx.x / kWarp * kTile;  // this warp's queries
  const int lane = threadIdx.x % kWarp;
  if (first >= part.count) return;
  const int key_count = part.tiles * kTile;
  multiply_rows(queries + first, keys, part.tiles, scores + first);
  __syncwarp();

  // The weights take the place of the queries, which are done with.
  const int row = first + lane / 2;
  LaneRow weights = softmax(scores[row], last_seen(a, part, row), key_count, scale);
  uint2 key = make_uint2(0, 0);
  if (kDrops) key = key_of(draw);
#pragma unroll
  for (int i = 0; i < kLaneGroups; ++i) {
    if (first_key(i) >= key_count) continue;
    if (kDrops) {
      float factors[kVector];
      draw_factors(draw, key, group_of(a, part, row, i), factors);
#pragma unroll
      for (int k = 0; k < kVector; ++k) weights.values[i][k] *= factors[k];
    }
    *reinterpret_cast<Vector*>(&queries[row][first_key(i)]) = pack(weights.values[i]);
  }
  __syncwarp();

  for (int d = 0; d < kWidthTiles; ++d) {
    Sums sums;
    wmma::fill_fragment(sums, 0.0F);
    for (int tile = 0; tile < part.tiles; ++tile) {
      Left left;
      Right right;
      wmma::load_matrix_sync(left, &queries[first][tile * kTile], kPaddedWidth);
      wmma::load_matrix_sync(right, &values[tile * kTile][d * kTile], kPaddedWidth);
      wmma::mma_sync(sums, left, right, sums);
    }
    wmma::store_matrix_sync(&scores[first][d * kTile], sums, kPaddedScores, wmma::mem_row_major);
  }
  __syncwarp();
  constexpr int kVectorsOfRow = kWidth / kVector;
  for (int i = lane; i < kTile * kVectorsOfRow; i += kWarp) {
    const int r = first + i / kVectorsOfRow;
    const int column = i % kVectorsOfRow * kVector;
    if (r >= part.count) break;
    float result[kVector];
    read_floats(&scores[r][column], result);
    const long place = ((part.begin + r) * a.heads + part.head) * kWidth + column;
    *reinterpret_cast<Vector*>(out + place) = pack(result);
  }
}

constexpr int kPaddedWeights = 2 * kPaddedScores;  // bfloat16 numbers from row to row, in the place of scores
constexpr int kStagedRow = kTile + 4;              // float32 numbers of a row of a result's tile
constexpr int kStagedTile = kTile * kStagedRow;
constexpr int kPartSums = kProjections * kWidth;  // of a warp's columns
static_assert((kStagedTile + kPartSums) * sizeof(float) <= kTile * sizeof(PaddedRow),
              "a warp's results pass through its rows of values");

constexpr int attention_backward_bytes(int rows) {
  return rows * static_cast<int>((kProjections + 1) * sizeof(PaddedRow) + 2 * sizeof(ScoreRow));
}

/// Writes a tile of gradients, and the sums of its columns.
__device__ void store_gradient(const SegmentAttention& a, const Part& part, int which, int first, int d,
                               const Sums& sums, float* staged, float* part_sums, Bfloat* projected_gradient) {
  const int lane = threadIdx.x % kWarp;
  __syncwarp();
  wmma::store_matrix_sync(staged, sums, kStagedRow, wmma::mem_row_major);
  __syncwarp();
  const int row = lane / 2;
  const int column = lane % 2 * kVector;
  if (first + row < part.count) {
    float values[kVector];
    read_floats(staged + row * kStagedRow + column, values);
    const long hidden = a.heads * kWidth;
    const long place = ((part.begin + first + row) * kProjections + which) * hidden +
                       static_cast<long>(part.head) * kWidth + d * kTile + column;
    *reinterpret_cast<Vector*>(projected_gradient + place) = pack(values);
  }
  // Sixteen lanes for the columns of each half.
  float sum = 0.0F;
  const int half = lane / kTile * (kTile / 2);
#pragma unroll
  for (int i = 0; i < kTile / 2; ++i) sum += staged[(half + i) * kStagedRow + lane % kTile];
  sum += __shfl_xor_sync(kAllLanes, sum, kTile);
  if (lane < kTile) part_sums[which * kWidth + d * kTile + lane] = sum;
}

/// As segment_attention. A warp has sixteen queries, and then the same sixteen tokens' keys and values.
template <bool kDrops>
__global__ void segment_attention_backward(const __grid_constant__ SegmentAttention a,
                                           const __grid_constant__ Draw draw, const Bfloat* out_gradient,
                                           Bfloat* projected_gradient, float* partial_sums, int rows, float scale) {
  extern __shared__ __align__(128) char memory[];
  const Part part = part_of(a);
  const long hidden = a.heads * kWidth;
  float* block_sums = partial_sums + blockIdx.x * kProjections * hidden + static_cast<long>(part.head) * kWidth;
  if (part.count <= 0) {
    for (int i = threadIdx.x; i < kPartSums; i += blockDim.x) block_sums[i / kWidth * hidden + i % kWidth] = 0.0F;
    return;
  }
  auto* queries = reinterpret_cast<PaddedRow*>(memory);
  PaddedRow* keys = queries + rows;
  PaddedRow* gradients = keys + rows;  // of the output
  PaddedRow* values = gradients + rows;
  auto* scores = reinterpret_cast<ScoreRow*>(values + rows);
  ScoreRow* score_gradients = scores + rows;
  copy_projected(a, part, 0, queries);
  copy_projected(a, part, 1, keys);
  copy_projected(a, part, 2, values);
  copy_head(part, out_gradient + static_cast<long>(part.head) * kWidth, hidden, nullptr, gradients);
  __syncthreads();

  const int warp = threadIdx.x / kWarp;
  const int first = warp * kTile;
  const int lane = threadIdx.x % kWarp;
  const bool has_rows = first < part.count;  // others only wait
  const int key_count = part.tiles * kTile;
  // Later, bfloat16 takes the place of the scores and of their gradients: rows begin where they began.
  auto* dropped_weights = reinterpret_cast<Bfloat*>(scores);
  auto* rounded_gradients = reinterpret_cast<Bfloat*>(score_gradients);
  if (has_rows) {
    multiply_rows(queries + first, keys, part.tiles, scores + first);
    multiply_rows(gradients + first, values, part.tiles, score_gradients + first);
    __syncwarp();
    const int row = first + lane / 2;
    const bool counts = row < part.count;
    LaneRow weights = softmax(scores[row], last_seen(a, part, row), key_count, scale);
    LaneRow factors;
    LaneRow weight_gradients;
    uint2 key = make_uint2(0, 0);
    if (kDrops) key = key_of(draw);
    float products = 0.0F;
#pragma unroll
    for (int i = 0; i < kLaneGroups; ++i) {
      if (first_key(i) >= key_count) continue;
      read_floats(score_gradients[row] + first_key(i), weight_gradients.values[i]);
      if (kDrops) draw_factors(draw, key, group_of(a, part, row, i), factors.values[i]);
#pragma unroll
      for (int k = 0; k < kVector; ++k) {
        if (kDrops) weight_gradients.values[i][k] *= factors.values[i][k];
        products += weights.values[i][k] * weight_gradients.values[i][k];
      }
    }
    products = sum_of_pair(products);  // both lanes have read the row
    __syncwarp();
#pragma unroll
    for (int i = 0; i < kLaneGroups; ++i) {
      if (first_key(i) >= key_count) continue;
#pragma unroll
      for (int k = 0; k < kVector; ++k) {
        const float weight = counts ? weights.values[i][k] : 0.0F;
        weight_gradients.values[i][k] = weight * (weight_gradients.values[i][k] - products) * scale;
        weights.values[i][k] = kDrops ? weight * factors.values[i][k] : weight;
      }
      const int place = row * kPaddedWeights + first_key(i);
      *reinterpret_cast<Vector*>(dropped_weights + place) = pack(weights.values[i]);
      *reinterpret_cast<Vector*>(rounded_gradients + place) = pack(weight_gradients.values[i]);
    }
  }
  __syncthreads();

  // The values are done with: results pass through their rows.
  auto* staged = reinterpret_cast<float*>(values + first);
  float* part_sums = staged + kStagedTile;
  if (has_rows) {
    for (int d = 0; d < kWidthTiles; ++d) {
      Sums query_sums;
      Sums key_sums;
      Sums value_sums;
      wmma::fill_fragment(query_sums, 0.0F);
      wmma::fill_fragment(key_sums, 0.0F);
      wmma::fill_fragment(value_sums, 0.0F);
      for (int tile = 0; tile < part.tiles; ++tile) {
        const int other = tile * kTile;
        Right right;
        Left left;
        wmma::load_matrix_sync(left, rounded_gradients + first * kPaddedWeights + other, kPaddedWeights);
        wmma::load_matrix_sync(right, &keys[other][d * kTile], kPaddedWidth);
        wmma::mma_sync(query_sums, left, right, query_sums);
        LeftTransposed transposed;
        wmma::load_matrix_sync(transposed, rounded_gradients + other * kPaddedWeights + first, kPaddedWeights);
        wmma::load_matrix_sync(right, &queries[other][d * kTile], kPaddedWidth);
        wmma::mma_sync(key_sums, transposed, right, key_sums);
        wmma::load_matrix_sync(transposed, dropped_weights + other * kPaddedWeights + first, kPaddedWeights);
        wmma::load_matrix_sync(right, &gradients[other][d * kTile], kPaddedWidth);
        wmma::mma_sync(value_sums, transposed, right, value_sums);
      }
      store_gradient(a, part, 0, first, d, query_sums, staged, part_sums, projected_gradient);
      store_gradient(a, part, 1, first, d, key_sums, staged, part_sums, projected_gradient);
      store_gradient(a, part, 2, first, d, value_sums, staged, part_sums, projected_gradient);
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < kPartSums; i += blockDim.x) {
    float sum = 0.0F;
    for (int tile = 0; tile < part.tiles; ++tile) {
      sum += reinterpret_cast<const float*>(values + tile * kTile)[kStagedTile + i];
    }
    block_sums[i / kWidth * hidden + i % kWidth] = sum;
  }
}

/// How the kernels for segments are launched.
struct AttentionLaunch {
  dim3 grid;
  unsigned threads;
  int rows;
  float scale;
};

AttentionLaunch attention_launch(const SegmentAttention& a) {
  AttentionLaunch launch{};
  launch.grid = dim3(static_cast<unsigned>(a.segments), static_cast<unsigned>(a.heads));
  const int tiles = tiles_of(static_cast<int>(a.longest));
  launch.threads = static_cast<unsigned>(tiles * kWarp);
  launch.rows = tiles * kTile;
  launch.scale = 1.0F / std::sqrt(static_cast<float>(kWidth));
  return launch;
}

// Keys that branches share -------------------------------------------------------------------------------------------

constexpr int kSharedKeyThreads = 128;
constexpr int kSharedKeyWarps = kSharedKeyThreads / kWarp;
constexpr int kSharedKeyVectors = 2 * DroppedNorm::kWidest / kVector / kSharedKeyThreads;  // of keys and values

/// The last segment that begins at or before a token: the one that holds it, since empty ones end where they begin.
__device__ int segment_of(const std::int32_t* offsets, int segments, int token) {
  int low = 0;
  int high = segments - 1;
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (offsets[middle] <= token) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

/// A block for each token. A parent's token looks for its branches among all segments.
template <typename Row>
__global__ void __launch_bounds__(kSharedKeyThreads)
    shared_key_gradients(const __grid_constant__ SharedKeyGradients a, int vectors) {
  __shared__ unsigned found[kSharedKeyWarps];
  const int token = blockIdx.x;
  const int segments = static_cast<int>(a.segments);
  const auto* rows = static_cast<const Row*>(a.key_rows);
  auto* out = static_cast<Vector*>(a.out) + static_cast<long>(token) * kProjections * vectors;
  for (int i = threadIdx.x; i < vectors; i += kSharedKeyThreads) {
    out[i] = static_cast<const Vector*>(a.query)[static_cast<long>(token) * vectors + i];
  }

  float sums[kSharedKeyVectors][kVector] = {};
  const auto add_key = [&](long key) {
#pragma unroll
    for (int i = 0; i < kSharedKeyVectors; ++i) {
      const int at = threadIdx.x + i * kSharedKeyThreads;
      if (at >= 2 * vectors) continue;
      const auto* from = static_cast<const Vector*>(at < vectors ? a.key : a.value);
      float values[kVector];
      unpack(from[key * vectors + (at < vectors ? at : at - vectors)], values);
#pragma unroll
      for (int k = 0; k < kVector; ++k) sums[i][k] += values[k];
    }
  };
  const int own = segment_of(a.query_offsets, segments, token);
  const int begin = a.query_offsets[own];
  const int end = a.query_offsets[own + 1];
  const bool is_covered = token >= begin && token < end;
  if (is_covered) add_key(a.key_offsets[own + 1] - (end - token));
  const bool has_parent = a.key_offsets[own + 1] - a.key_offsets[own] > end - begin;
  if (is_covered && !has_parent) {
    for (int base = own + 1; base < segments; base += kSharedKeyThreads) {
      const int other = base + static_cast<int>(threadIdx.x);
      bool is_branch = false;
      if (other < segments && a.query_offsets[other + 1] > a.query_offsets[other]) {
        is_branch = rows[a.key_offsets[other]] == begin;
      }
      const unsigned bits = __ballot_sync(kAllLanes, is_branch);
      if (threadIdx.x % kWarp == 0) found[threadIdx.x / kWarp] = bits;
      __syncthreads();
      for (int warp = 0; warp < kSharedKeyWarps; ++warp) {
        for (unsigned left = found[warp]; left != 0; left &= left - 1) {
          const int branch = base + warp * kWarp + __ffs(static_cast<int>(left)) - 1;
          add_key(a.key_offsets[branch] + (token - begin));
        }
      }
      __syncthreads();
    }
  }
#pragma unroll
  for (int i = 0; i < kSharedKeyVectors; ++i) {
    const int at = threadIdx.x + i * kSharedKeyThreads;
    if (at < 2 * vectors) out[vectors + at] = pack(sums[i]);
  }
}

}  // namespace

bool drops_any(const DropoutDraw& draw) { return to_draw(draw, kNormDraws).threshold > 0; }

std::int64_t norm_stretches(std::int64_t rows) { return divide_up(rows, norm_rows_of_block(rows)); }

std::int64_t column_stretches(std::int64_t rows) { return divide_up(rows, rows_of_stretch(rows)); }

void launch_dropped_norm(const DroppedNorm& norm, cudaStream_t stream) {
  const int vectors = static_cast<int>(norm.hidden / kVector);
  const auto blocks = static_cast<unsigned>(divide_up(norm.rows, kNormWarps));
  const Draw draw = to_draw(norm.dropout, kNormDraws);
  const auto launch = [&](auto kernel) { kernel<<<blocks, kNormWarps * kWarp, 0, stream>>>(norm, draw, vectors); };
  if (draw.threshold > 0) {
    with_kernel<NormKernels, true>(vectors, launch);
  } else {
    with_kernel<NormKernels, false>(vectors, launch);
  }
}

void launch_dropped_norm_backward(const DroppedNormBackward& norm, cudaStream_t stream) {
  const int vectors = static_cast<int>(norm.hidden / kVector);
  const auto blocks = static_cast<unsigned>(norm_stretches(norm.rows));
  const int rows_of_block = static_cast<int>(norm_rows_of_block(norm.rows));
  const auto bytes = static_cast<std::size_t>(kNormSums * norm.hidden) * sizeof(float);
  const Draw draw = to_draw(norm.dropout, kNormDraws);
  const auto launch = [&](auto kernel) {
    kernel<<<blocks, kNormWarps * kWarp, bytes, stream>>>(norm, draw, vectors, rows_of_block);
  };
  if (draw.threshold > 0) {
    with_kernel<NormBackwardKernels, true>(vectors, launch);
  } else {
    with_kernel<NormBackwardKernels, false>(vectors, launch);
  }
}

void launch_bias_gelu(const BiasGelu& gelu, cudaStream_t stream) {
  const int vectors = static_cast<int>(gelu.columns / kVector);
  const dim3 grid(static_cast<unsigned>(divide_up(vectors, kColumnThreads)),
                  static_cast<unsigned>(divide_up(gelu.rows, kRowsOfGelu)));
  const auto kernel = gelu.tanh_form ? bias_gelu<true> : bias_gelu<false>;
  kernel<<<grid, kColumnThreads, 0, stream>>>(gelu, vectors);
}

void launch_bias_gelu_backward(const BiasGeluBackward& gelu, cudaStream_t stream) {
  const int vectors = static_cast<int>(gelu.columns / kVector);
  const dim3 grid(static_cast<unsigned>(divide_up(vectors, kColumnThreads)),
                  static_cast<unsigned>(column_stretches(gelu.rows)));
  const auto kernel = gelu.tanh_form ? bias_gelu_backward<true> : bias_gelu_backward<false>;
  kernel<<<grid, kColumnThreads, 0, stream>>>(gelu, vectors, static_cast<int>(rows_of_stretch(gelu.rows)));
}

void launch_column_sums(const void* x, float* partial_sums, std::int64_t rows, std::int64_t columns,
                        cudaStream_t stream) {
  const int vectors = static_cast<int>(columns / kVector);
  const dim3 grid(static_cast<unsigned>(divide_up(vectors, kColumnThreads)),
                  static_cast<unsigned>(column_stretches(rows)));
  column_sums<<<grid, kColumnThreads, 0, stream>>>(static_cast<const Vector*>(x), partial_sums, rows, vectors,
                                                   static_cast<int>(rows_of_stretch(rows)));
}

void launch_add_up_columns(const PartialSums& sums, cudaStream_t stream) {
  int blocks = 0;
  for (int i = 0; i < sums.count; ++i) blocks += sum_blocks(sums.all[i].columns);
  if (blocks > 0) add_up_columns<<<static_cast<unsigned>(blocks), kSumStrips * kWarp, 0, stream>>>(sums);
}

void launch_segment_attention(const SegmentAttention& attention, void* out, cudaStream_t stream) {
  static_assert(attention_bytes(SegmentAttention::kLongest) <= 48 * 1024);
  const AttentionLaunch how = attention_launch(attention);
  const Draw draw = to_draw(attention.dropout, kAttentionDraws);
  const auto bytes = static_cast<std::size_t>(attention_bytes(how.rows));
  const auto kernel = draw.threshold > 0 ? segment_attention<true> : segment_attention<false>;
  kernel<<<how.grid, how.threads, bytes, stream>>>(attention, draw, static_cast<Bfloat*>(out), how.rows, how.scale);
}

void launch_segment_attention_backward(const SegmentAttention& attention, const void* out_gradient,
                                       void* projected_gradient, float* partial_sums, cudaStream_t stream) {
  const AttentionLaunch how = attention_launch(attention);
  const Draw draw = to_draw(attention.dropout, kAttentionDraws);
  const int bytes = attention_backward_bytes(how.rows);
  const auto kernel = draw.threshold > 0 ? segment_attention_backward<true> : segment_attention_backward<false>;
  // More than a kernel has unless it asks.
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  kernel<<<how.grid, how.threads, static_cast<std::size_t>(bytes), stream>>>(
      attention, draw, static_cast<const Bfloat*>(out_gradient), static_cast<Bfloat*>(projected_gradient), partial_sums,
      how.rows, how.scale);
}

void launch_shared_key_gradients(const SharedKeyGradients& gradients, cudaStream_t stream) {
  const int vectors = static_cast<int>(gradients.hidden / kVector);
  const auto kernel = gradients.rows_are_long ? shared_key_gradients<std::int64_t> : shared_key_gradients<std::int32_t>;
  kernel<<<static_cast<unsigned>(gradients.tokens), kSharedKeyThreads, 0, stream>>>(gradients, vectors);
}

}  // namespace gumption
