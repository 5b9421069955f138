#include <cuda_bf16.h>
#include <mma.h>

#include "gumption/nn/cuda_kernels.h"

namespace gumption {

namespace {

constexpr int kWarp = 32;
constexpr unsigned kAllLanes = 0xffffffffU;
constexpr int kVector = 8;  // bfloat16 numbers in 16 bytes

/// Sixteen bytes of bfloat16, read and written at once.
struct alignas(16) Vector {
  __nv_bfloat162 pairs[kVector / 2];
};

/// A warp for each row; a lane holds kVectors stretches of eight numbers.
template <int kVectors>
__global__ void layer_norm_of_sum(const Vector* x, const Vector* y, const Vector* weight, const Vector* bias,
                                  Vector* out, long rows, int vectors, float epsilon) {
  const long row_index = static_cast<long>(blockIdx.x) * (blockDim.x / kWarp) + threadIdx.x / kWarp;
  if (row_index >= rows) return;
  const long row = row_index * vectors;
  const int lane = threadIdx.x % kWarp;
  float values[kVectors][kVector];
  float sum = 0.0F;
  float squares = 0.0F;
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    const int at = lane + i * kWarp;
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
      sum += value.x + value.y;
      squares += value.x * value.x + value.y * value.y;
    }
  }
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    sum += __shfl_xor_sync(kAllLanes, sum, distance);
    squares += __shfl_xor_sync(kAllLanes, squares, distance);
  }
  const float count = static_cast<float>(vectors) * kVector;
  const float mean = sum / count;
  const float scale = rsqrtf(fmaxf(squares / count - mean * mean, 0.0F) + epsilon);
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    const int at = lane + i * kWarp;
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

constexpr int kTile = 16;  // rows and columns of the tensor cores' matrices
constexpr int kWidth = ShortAttention::kHeadWidth;
constexpr int kPaddedWidth = kWidth + 8;   // keeps rows in different banks
constexpr int kPaddedScores = kWidth + 4;  // numbers of a row of scores, or of a row of results

using Bfloat = __nv_bfloat16;
namespace wmma = nvcuda::wmma;

/// Copies the rows [first, first + count) of one head, and zeros behind them up to `rows`.
__device__ void copy_rows(const Bfloat* from, long stride, int first, int count, int rows, Bfloat (*to)[kPaddedWidth]) {
  constexpr int kVectorsOfRow = kWidth / kVector;
  for (int i = threadIdx.x; i < rows * kVectorsOfRow; i += blockDim.x) {
    const int row = i / kVectorsOfRow;
    const int column = i % kVectorsOfRow * kVector;
    uint4 value = make_uint4(0, 0, 0, 0);
    if (row < count) value = *reinterpret_cast<const uint4*>(from + (first + row) * stride + column);
    *reinterpret_cast<uint4*>(&to[row][column]) = value;
  }
}

/// Where a block's arrays lie in its shared memory, for segments of at most so many rows.
struct SharedArrays {
  Bfloat (*queries)[kPaddedWidth];
  Bfloat (*keys)[kPaddedWidth];
  Bfloat (*values)[kPaddedWidth];
  float (*scores)[kPaddedScores];

  __host__ __device__ static constexpr int bytes(int query_rows, int key_rows) {
    return (query_rows + 2 * key_rows) * kPaddedWidth * static_cast<int>(sizeof(Bfloat)) +
           query_rows * kPaddedScores * static_cast<int>(sizeof(float));
  }
  __device__ SharedArrays(char* memory, int query_rows, int key_rows)
      : queries(reinterpret_cast<Bfloat (*)[kPaddedWidth]>(memory)),
        keys(queries + query_rows),
        values(keys + key_rows),
        scores(reinterpret_cast<float (*)[kPaddedScores]>(values + key_rows)) {}
};

__host__ __device__ constexpr int tiles_of(int rows) { return (rows + kTile - 1) / kTile; }

/// A block for each segment and head, a warp for each sixteen queries.
__global__ void short_attention(ShortAttention a, int query_rows, int key_rows, float scale) {
  extern __shared__ __align__(16) char memory[];
  const SharedArrays in(memory, query_rows, key_rows);
  const int segment = blockIdx.x;
  const int query_begin = a.query_offsets[segment];
  const int query_count = a.query_offsets[segment + 1] - query_begin;
  const int key_begin = a.key_offsets[segment];
  const int key_count = a.key_offsets[segment + 1] - key_begin;
  if (query_count == 0) return;
  const int key_tiles = tiles_of(key_count);
  const long head = static_cast<long>(blockIdx.y) * kWidth;
  copy_rows(static_cast<const Bfloat*>(a.query) + head, a.query_stride, query_begin, query_count,
            tiles_of(query_count) * kTile, in.queries);
  copy_rows(static_cast<const Bfloat*>(a.key) + head, a.key_stride, key_begin, key_count, key_tiles * kTile, in.keys);
  copy_rows(static_cast<const Bfloat*>(a.value) + head, a.value_stride, key_begin, key_count, key_tiles * kTile,
            in.values);
  __syncthreads();

  const int first = threadIdx.x / kWarp * kTile;  // this warp's queries
  const int lane = threadIdx.x % kWarp;
  if (first >= query_count) return;
  wmma::fragment<wmma::accumulator, kTile, kTile, kTile, float> sums;
  wmma::fragment<wmma::matrix_a, kTile, kTile, kTile, Bfloat, wmma::row_major> left[kWidth / kTile];
  for (int d = 0; d < kWidth / kTile; ++d) {
    wmma::load_matrix_sync(left[d], &in.queries[first][d * kTile], kPaddedWidth);
  }
  for (int k = 0; k < key_tiles; ++k) {
    wmma::fill_fragment(sums, 0.0F);
#pragma unroll
    for (int d = 0; d < kWidth / kTile; ++d) {
      wmma::fragment<wmma::matrix_b, kTile, kTile, kTile, Bfloat, wmma::col_major> right;
      wmma::load_matrix_sync(right, &in.keys[k * kTile][d * kTile], kPaddedWidth);
      wmma::mma_sync(sums, left[d], right, sums);
    }
    wmma::store_matrix_sync(&in.scores[first][k * kTile], sums, kPaddedScores, wmma::mem_row_major);
  }
  __syncwarp();

  // Two lanes share a row. The weights take the place of its queries, which are done with.
  const int row = first + lane / 2;
  const int last = a.causal ? min(key_count - 1, row + key_count - query_count) : key_count - 1;
  float most = -INFINITY;
  for (int k = lane % 2; k <= last; k += 2) most = fmaxf(most, in.scores[row][k]);
  most = fmaxf(most, __shfl_xor_sync(kAllLanes, most, 1));
  float total = 0.0F;
  for (int k = lane % 2; k <= last; k += 2) {
    const float weight = __expf((in.scores[row][k] - most) * scale);
    in.scores[row][k] = weight;
    total += weight;
  }
  total += __shfl_xor_sync(kAllLanes, total, 1);
  const float share = total > 0.0F ? 1.0F / total : 0.0F;
  for (int k = lane % 2; k < key_tiles * kTile; k += 2) {
    in.queries[row][k] = __float2bfloat16(k <= last ? in.scores[row][k] * share : 0.0F);
  }
  __syncwarp();

  for (int d = 0; d < kWidth; d += kTile) {
    wmma::fill_fragment(sums, 0.0F);
    for (int k = 0; k < key_tiles; ++k) {
      wmma::fragment<wmma::matrix_b, kTile, kTile, kTile, Bfloat, wmma::row_major> right;
      wmma::load_matrix_sync(left[0], &in.queries[first][k * kTile], kPaddedWidth);
      wmma::load_matrix_sync(right, &in.values[k * kTile][d], kPaddedWidth);
      wmma::mma_sync(sums, left[0], right, sums);
    }
    wmma::store_matrix_sync(&in.scores[first][d], sums, kPaddedScores, wmma::mem_row_major);
  }
  __syncwarp();
  for (int i = lane; i < kTile * kWidth / 2; i += kWarp) {
    const int r = first + i / (kWidth / 2);
    const int column = i % (kWidth / 2) * 2;
    if (r >= query_count) break;
    const long place = (static_cast<long>(query_begin) + r) * a.heads * kWidth + head + column;
    *reinterpret_cast<__nv_bfloat162*>(static_cast<Bfloat*>(a.out) + place) =
        __floats2bfloat162_rn(in.scores[r][column], in.scores[r][column + 1]);
  }
}

}  // namespace

void launch_layer_norm_of_sum(const void* x, const void* y, const void* weight, const void* bias, void* out,
                              std::int64_t rows, std::int64_t hidden, float epsilon, cudaStream_t stream) {
  constexpr int kRowsOfBlock = 4;
  const int vectors = static_cast<int>(hidden / kVector);
  const auto blocks = static_cast<unsigned>((rows + kRowsOfBlock - 1) / kRowsOfBlock);
  const auto launch = [&](auto kernel) {
    kernel<<<blocks, kRowsOfBlock * kWarp, 0, stream>>>(
        static_cast<const Vector*>(x), static_cast<const Vector*>(y), static_cast<const Vector*>(weight),
        static_cast<const Vector*>(bias), static_cast<Vector*>(out), rows, vectors, epsilon);
  };
  if (vectors <= kWarp) {
    launch(layer_norm_of_sum<1>);
  } else if (vectors <= 4 * kWarp) {
    launch(layer_norm_of_sum<4>);
  } else {
    launch(layer_norm_of_sum<8>);
  }
}

void launch_short_attention(const ShortAttention& attention, cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>(attention.segments), static_cast<unsigned>(attention.heads));
  const int query_tiles = tiles_of(static_cast<int>(attention.longest_query));
  const int query_rows = query_tiles * kTile;
  const int key_rows = tiles_of(static_cast<int>(attention.longest_key)) * kTile;
  const float scale = 1.0F / sqrtf(static_cast<float>(kWidth));
  const auto threads = static_cast<unsigned>(query_tiles * kWarp);
  const auto bytes = static_cast<std::size_t>(SharedArrays::bytes(query_rows, key_rows));
  static_assert(SharedArrays::bytes(ShortAttention::kLongest, ShortAttention::kLongest) <= 48 * 1024);
  short_attention<<<grid, threads, bytes, stream>>>(attention, query_rows, key_rows, scale);
}

}  // namespace gumption
