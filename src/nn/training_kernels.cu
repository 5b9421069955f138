#include "gumption/nn/training_draws.cuh"

namespace gumption {

namespace {

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
  one.sum[column] += sum;
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

}  // namespace gumption
