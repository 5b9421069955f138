#include <mma.h>

#include "gumption/nn/training_draws.cuh"

namespace gumption {

namespace {

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
