// Attention by tensor cores, a tile of 64 queries or keys a block, four warps of 16 rows each. What a lane holds of a
// 16 by 64 result: rows `lane / 4` and eight behind, and of each eight columns the two from `lane % 4 * 2` on.

#include "gumption/nn/training_draws.cuh"
#include "gumption/nn/tree_attention_kernels.h"

namespace gumption {

namespace {

constexpr int kTile = TreeAttention::kTile;
constexpr int kWidth = TreeAttention::kHeadWidth;
constexpr int kThreads = 128;
constexpr int kWarpRows = 16;
constexpr int kSteps = kWidth / 16;       // of a product's inner sum
constexpr int kColumnTiles = kTile / 8;   // of a result
constexpr int kProjections = 3;           // queries, keys, values
constexpr int kPaddedWidth = kWidth + 8;  // keeps rows in different banks
constexpr int kVectorsOfRow = kWidth / kVector;
constexpr int kDrawnColumns = 32;  // of a row, that four lanes draw for at once
static_assert(kTile == kWidth && kThreads / kWarp * kWarpRows == kTile, "a tile is square, and a warp has 16 rows");

using PaddedRow = Bfloat[kPaddedWidth];

// Tensor cores -------------------------------------------------------------------------------------------------------

/// A warp's 16 by 64 result.
struct Result {
  float at[kColumnTiles][4] = {};
};

/// A warp's 16 by 64 left operand.
struct Left {
  unsigned at[kSteps][4];
};

__device__ int lane_of() { return static_cast<int>(threadIdx.x) % kWarp; }
__device__ int first_row_of_warp() { return static_cast<int>(threadIdx.x) / kWarp * kWarpRows; }

__device__ unsigned shared_address(const Bfloat* at) { return static_cast<unsigned>(__cvta_generic_to_shared(at)); }

__device__ void load_matrices(const Bfloat* at, unsigned (&to)[4]) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_address(at)));
}

__device__ void load_transposed(const Bfloat* at, unsigned (&to)[4]) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_address(at)));
}

__device__ void multiply_add(float (&sum)[4], const unsigned (&left)[4], unsigned right0, unsigned right1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right0), "r"(right1));
}

/// Where a lane points for four 8 by 8 matrices of a 16 by 16 square: first down, then to the right.
__device__ const Bfloat* down_first(const PaddedRow* square, int column) {
  const int lane = lane_of();
  return &square[lane % 16][column + lane / 16 * 8];
}

/// As above: first to the right, then down.
__device__ const Bfloat* right_first(const PaddedRow* square, int column) {
  const int lane = lane_of();
  return &square[lane / 16 * 8 + lane % 8][column + lane / 8 % 2 * 8];
}

/// Sixteen rows as left operand.
__device__ Left left_of(const PaddedRow* rows) {
  Left left;
#pragma unroll
  for (int i = 0; i < kSteps; ++i) load_matrices(down_first(rows, i * 16), left.at[i]);
  return left;
}

/// Sixteen columns, from `column` on, as left operand.
__device__ Left left_of_columns(const PaddedRow* rows, int column) {
  Left left;
#pragma unroll
  for (int i = 0; i < kSteps; ++i) load_transposed(right_first(rows + i * 16, column), left.at[i]);
  return left;
}

__device__ unsigned packed_pair(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return *reinterpret_cast<const unsigned*>(&pair);
}

/// A result as left operand: lanes hold of both the same numbers.
__device__ Left left_of(const Result& result) {
  Left left;
#pragma unroll
  for (int i = 0; i < kSteps; ++i) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float(&from)[4] = result.at[2 * i + k / 2];
      left.at[i][k] = packed_pair(from[k % 2 * 2], from[k % 2 * 2 + 1]);
    }
  }
  return left;
}

/// sum += left * right, of which `load(i, k, matrices)` gets the matrices at step i for the columns' tiles k and k + 1.
template <class Load>
__device__ void add_products(Result& sum, const Left& left, const Load& load) {
#pragma unroll
  for (int i = 0; i < kSteps; ++i) {
#pragma unroll
    for (int k = 0; k < kColumnTiles; k += 2) {
      unsigned matrices[4];
      load(i, k, matrices);
      multiply_add(sum.at[k], left.at[i], matrices[0], matrices[1]);
      multiply_add(sum.at[k + 1], left.at[i], matrices[2], matrices[3]);
    }
  }
}

/// sum += left * right, transposed.
__device__ void add_product_of_rows(Result& sum, const Left& left, const PaddedRow* right) {
  add_products(sum, left, [&](int i, int k, unsigned(&matrices)[4]) {
    load_matrices(right_first(right + k * 8, i * 16), matrices);
  });
}

/// sum += left * right.
__device__ void add_product(Result& sum, const Left& left, const PaddedRow* right) {
  add_products(sum, left, [&](int i, int k, unsigned(&matrices)[4]) {
    load_transposed(down_first(right + i * 16, k * 8), matrices);
  });
}

// Trees and tiles ----------------------------------------------------------------------------------------------------

/// A block's tile, and its tree's tokens. The stem is what all of the tree's branches see.
struct Tile {
  int begin;
  int tree_begin;
  int stem_end;
  int tree_end;
  int first_segment;
  int end_segment;
};

__device__ Tile tile_of(const TreeAttention& a) {
  const std::int32_t* entry = a.tiles + static_cast<long>(blockIdx.x) * TreeAttention::kTileNumbers;
  Tile tile{};
  tile.begin = entry[0];
  tile.first_segment = entry[1];
  tile.end_segment = entry[2];
  if (tile.first_segment == tile.end_segment) return tile;
  tile.tree_begin = a.offsets[tile.first_segment];
  tile.stem_end = a.offsets[tile.first_segment + 1];
  tile.tree_end = a.offsets[tile.end_segment];
  return tile;
}

/// Where a token's segment begins. A token behind the tree's end counts as one of its last segment.
__device__ int segment_begin(const TreeAttention& a, const Tile& tile, int token) {
  int begin = tile.tree_begin;
  for (int i = tile.first_segment + 1; i < tile.end_segment && a.offsets[i] <= token; ++i) begin = a.offsets[i];
  return begin;
}

/// Whether a token, whose segment begins at `begin`, sees a key.
__device__ bool sees(const TreeAttention& a, const Tile& tile, int token, int begin, int key) {
  if (key >= tile.tree_end) return false;
  return !a.causal || (key <= token && (key < tile.stem_end || key >= begin));
}

/// Whether any of the 64 queries from `first` on may see any of the 64 keys from `key` on.
__device__ bool may_see(const TreeAttention& a, const Tile& tile, int first, int first_begin, int key) {
  if (!a.causal) return true;
  return key < first + kTile && (key < tile.stem_end || key + kTile > first_begin);
}

/// Whether this warp's rows of the tile that begins at `first` are tokens of the tree: there may be none of them.
__device__ bool has_rows(const Tile& tile, int first) { return first + first_row_of_warp() < tile.tree_end; }

/// A lane's two rows.
struct Rows {
  int token[2];
  int begin[2];
};

/// Copies a head's numbers of 64 tokens; zeros for those behind `end`. Not there before the copies are waited for.
__device__ void copy_tile(const Bfloat* from, long stride, int first, int end, PaddedRow* to) {
  for (int i = threadIdx.x; i < kTile * kVectorsOfRow; i += kThreads) {
    const int row = i / kVectorsOfRow;
    const int column = i % kVectorsOfRow * kVector;
    const bool is_there = first + row < end;
    const Bfloat* source = from + (is_there ? first + row : first) * stride + column;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(&to[row][column])), "l"(source),
                 "r"(is_there ? 16 : 0));
  }
}

__device__ void wait_for_copies() {
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
}

/// A head's queries (0), keys (1) or values (2).
__device__ const Bfloat* projection(const TreeAttention& a, int which) {
  return static_cast<const Bfloat*>(a.projected) + (which * a.heads + blockIdx.y) * kWidth;
}

__device__ void copy_projected(const TreeAttention& a, int which, int first, int end, PaddedRow* to) {
  copy_tile(projection(a, which), kProjections * a.heads * kWidth, first, end, to);
}

/// Rounds a warp's rows into its rows of shared memory.
__device__ void stage(const Result& result, const float (&by)[2], PaddedRow* rows) {
  const int lane = lane_of();
#pragma unroll
  for (int k = 0; k < kColumnTiles; ++k) {
#pragma unroll
    for (int row = 0; row < 2; ++row) {
      const float(&from)[4] = result.at[k];
      *reinterpret_cast<unsigned*>(&rows[lane / 4 + 8 * row][k * 8 + lane % 4 * 2]) =
          packed_pair(from[2 * row] * by[row], from[2 * row + 1] * by[row]);
    }
  }
}

/// Writes a warp's rows, rounded, through its rows of shared memory.
__device__ void store_rows(const Result& result, const float (&by)[2], PaddedRow* staged, Bfloat* to, long stride,
                           int first, int end) {
  const int lane = lane_of();
  __syncwarp();  // other lanes may have read there
  stage(result, by, staged);
  __syncwarp();
  for (int i = lane; i < kWarpRows * kVectorsOfRow; i += kWarp) {
    const int row = i / kVectorsOfRow;
    const int column = i % kVectorsOfRow * kVector;
    if (first + row >= end) break;
    *reinterpret_cast<Vector*>(to + (first + row) * stride + column) =
        *reinterpret_cast<const Vector*>(&staged[row][column]);
  }
  __syncwarp();
}

// Softmax and dropout ------------------------------------------------------------------------------------------------

__device__ float most_of_row(float value) {
  value = fmaxf(value, __shfl_xor_sync(kAllLanes, value, 1));
  return fmaxf(value, __shfl_xor_sync(kAllLanes, value, 2));
}

__device__ float sum_of_row(float value) {
  value += __shfl_xor_sync(kAllLanes, value, 1);
  return value + __shfl_xor_sync(kAllLanes, value, 2);
}

/// The key of a lane's number: of columns' tile k, of two the `which`-th.
__device__ int key_at(int first, int k, int which) { return first + k * 8 + lane_of() % 4 * 2 + which; }

/// Calls `change(k, row, which, factor)` for all of a lane's numbers of a tile of weights.
template <bool kDrops, class Change>
__device__ void for_each_weight(const TreeAttention& a, const Draw& draw, uint2 seed, const Rows& rows, int first,
                                const Change& change) {
  constexpr int kTilesAtOnce = kDrawnColumns / 8;
#pragma unroll
  for (int row = 0; row < 2; ++row) {
#pragma unroll
    for (int k = 0; k < kColumnTiles; k += kTilesAtOnce) {
      float factors[kVector];
      if (kDrops) {
        const long place = static_cast<long>(rows.token[row]) * a.heads + blockIdx.y;
        draw_factors(draw, seed, (place << 16) + (first + k * 8) / 8 + lane_of() % 4, factors);
      }
#pragma unroll
      for (int i = 0; i < kVector; ++i) change(k + i / 2, row, i % 2, kDrops ? factors[i] : 1.0F);
    }
  }
}

// Forward ------------------------------------------------------------------------------------------------------------

/// What a lane knows of its rows' scores so far.
struct Softened {
  float most[2] = {-INFINITY, -INFINITY};
  float sum[2] = {0.0F, 0.0F};
};

/// Turns scores into weights, not yet divided by their sum. What was summed before is brought to the new largest score.
__device__ void soften(const TreeAttention& a, const Tile& tile, const Rows& rows, int first_key, float scale,
                       Result& scores, Softened& softened, Result& sum) {
#pragma unroll
  for (int row = 0; row < 2; ++row) {
    float most = softened.most[row];
#pragma unroll
    for (int k = 0; k < kColumnTiles; ++k) {
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        float& score = scores.at[k][2 * row + i];
        if (!sees(a, tile, rows.token[row], rows.begin[row], key_at(first_key, k, i))) score = -INFINITY;
        most = fmaxf(most, score);
      }
    }
    most = most_of_row(most);
    const float before = exp2f((softened.most[row] - most) * scale);
    float total = 0.0F;
#pragma unroll
    for (int k = 0; k < kColumnTiles; ++k) {
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        float& score = scores.at[k][2 * row + i];
        score = exp2f((score - most) * scale);
        total += score;
        sum.at[k][2 * row + i] *= before;
      }
    }
    softened.sum[row] = softened.sum[row] * before + sum_of_row(total);
    softened.most[row] = most;
  }
}

/// A block for each tile of queries and head. scale: of scores, for powers of two.
template <bool kDrops>
__global__ void __launch_bounds__(kThreads)
    tree_attention(const __grid_constant__ TreeAttention a, const __grid_constant__ Draw draw, Bfloat* out,
                   float scale) {
  __shared__ __align__(16) PaddedRow queries[kTile];
  __shared__ __align__(16) PaddedRow keys[kTile];
  __shared__ __align__(16) PaddedRow values[kTile];
  const Tile tile = tile_of(a);
  if (tile.first_segment == tile.end_segment) return;
  copy_projected(a, 0, tile.begin, tile.tree_end, queries);

  Rows rows;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    rows.token[i] = tile.begin + first_row_of_warp() + lane_of() / 4 + 8 * i;
    rows.begin[i] = segment_begin(a, tile, rows.token[i]);
  }
  uint2 seed = make_uint2(0, 0);
  if (kDrops) seed = key_of(draw);
  const int first_begin = segment_begin(a, tile, tile.begin);
  Softened softened;
  Result sum;
  Left left;
  bool is_first = true;
  for (int first = tile.tree_begin; first < tile.tree_end; first += kTile) {
    if (!may_see(a, tile, tile.begin, first_begin, first)) continue;
    if (!is_first) __syncthreads();
    copy_projected(a, 1, first, tile.tree_end, keys);
    copy_projected(a, 2, first, tile.tree_end, values);
    wait_for_copies();
    if (is_first) left = left_of(queries + first_row_of_warp());
    is_first = false;
    if (!has_rows(tile, tile.begin)) continue;
    Result scores;
    add_product_of_rows(scores, left, keys);
    soften(a, tile, rows, first, scale, scores, softened, sum);
    if (kDrops) {
      for_each_weight<kDrops>(a, draw, seed, rows, first - tile.tree_begin,
                              [&](int k, int row, int i, float factor) { scores.at[k][2 * row + i] *= factor; });
    }
    add_product(sum, left_of(scores), values);
  }

  const float by[2] = {1.0F / softened.sum[0], 1.0F / softened.sum[1]};
  store_rows(sum, by, queries + first_row_of_warp(), out + blockIdx.y * kWidth, a.heads * kWidth,
             tile.begin + first_row_of_warp(), tile.tree_end);
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    if (lane_of() % 4 != 0 || rows.token[i] >= tile.tree_end) continue;
    a.log_sums[blockIdx.y * a.tokens + rows.token[i]] = softened.most[i] * scale + log2f(softened.sum[i]);
  }
}

// Backward -----------------------------------------------------------------------------------------------------------

/// What the backward pass keeps in shared memory.
struct BackwardMemory {
  PaddedRow queries[kTile];
  PaddedRow gradients[kTile];  // of the output
  PaddedRow keys[kTile];
  PaddedRow values[kTile];
  PaddedRow weights[kTile];  // dropped ones
  PaddedRow score_gradients[kTile];
  float log_sums[kTile];
  float products[kTile];  // of each row of the output with its gradient
  int begins[kTile];      // of the rows' segments
};

struct BackwardPointers {
  const Bfloat* out;
  const Bfloat* out_gradient;
  Bfloat* projected_gradient;
};

/// Copies what the backward pass reads of 64 queries.
__device__ void copy_queries(const TreeAttention& a, const BackwardPointers& pointers, const Tile& tile, int first,
                             BackwardMemory& to) {
  copy_projected(a, 0, first, tile.tree_end, to.queries);
  for (int i = threadIdx.x; i < kTile * kVectorsOfRow; i += kThreads) {
    const int row = i / kVectorsOfRow;
    const int column = i % kVectorsOfRow * kVector;
    Vector gradient{};
    float product = 0.0F;
    if (first + row < tile.tree_end) {
      const long place = ((first + row) * a.heads + blockIdx.y) * kWidth + column;
      gradient = *reinterpret_cast<const Vector*>(pointers.out_gradient + place);
      float of_gradient[kVector];
      float of_out[kVector];
      unpack(gradient, of_gradient);
      unpack(*reinterpret_cast<const Vector*>(pointers.out + place), of_out);
#pragma unroll
      for (int k = 0; k < kVector; ++k) product += of_gradient[k] * of_out[k];
    }
    *reinterpret_cast<Vector*>(&to.gradients[row][column]) = gradient;
    // Eight lanes side by side have a row.
    for (int distance = kVectorsOfRow / 2; distance > 0; distance /= 2) {
      product += __shfl_xor_sync(kAllLanes, product, distance);
    }
    if (column == 0) to.products[row] = product;
  }
  for (int row = threadIdx.x; row < kTile; row += kThreads) {
    const int token = min(first + row, tile.tree_end - 1);
    to.log_sums[row] = a.log_sums[blockIdx.y * a.tokens + token];
    to.begins[row] = segment_begin(a, tile, token);
  }
}

/// Turns scores into dropped weights, and the gradients of those into gradients of the scores, before their scale.
template <bool kDrops>
__device__ void score_gradients(const TreeAttention& a, const Draw& draw, uint2 seed, const Tile& tile,
                                const BackwardMemory& memory, int first_query, int first_key, float scale,
                                Result& scores, Result& gradients) {
  Rows rows;
  float log_sums[2];
  float products[2];
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int row = first_row_of_warp() + lane_of() / 4 + 8 * i;
    rows.token[i] = first_query + row;
    rows.begin[i] = memory.begins[row];
    log_sums[i] = memory.log_sums[row];
    products[i] = memory.products[row];
  }
  for_each_weight<kDrops>(a, draw, seed, rows, first_key - tile.tree_begin, [&](int k, int row, int i, float factor) {
    float& score = scores.at[k][2 * row + i];
    float& gradient = gradients.at[k][2 * row + i];
    const bool counts =
        rows.token[row] < tile.tree_end && sees(a, tile, rows.token[row], rows.begin[row], key_at(first_key, k, i));
    const float weight = counts ? exp2f(score * scale - log_sums[row]) : 0.0F;
    gradient = weight * (gradient * factor - products[row]);
    score = weight * factor;
  });
}

/// The gradients of a tile's queries.
template <bool kDrops>
__device__ void query_gradients(const TreeAttention& a, const Draw& draw, const BackwardPointers& pointers,
                                const Tile& tile, float scale, float score_scale, BackwardMemory& memory) {
  copy_queries(a, pointers, tile, tile.begin, memory);
  uint2 seed = make_uint2(0, 0);
  if (kDrops) seed = key_of(draw);
  const int first_begin = segment_begin(a, tile, tile.begin);
  Result sum;
  bool is_first = true;
  for (int first = tile.tree_begin; first < tile.tree_end; first += kTile) {
    if (!may_see(a, tile, tile.begin, first_begin, first)) continue;
    if (!is_first) __syncthreads();
    is_first = false;
    copy_projected(a, 1, first, tile.tree_end, memory.keys);
    copy_projected(a, 2, first, tile.tree_end, memory.values);
    wait_for_copies();
    if (!has_rows(tile, tile.begin)) continue;
    Result scores;
    Result gradients;
    add_product_of_rows(scores, left_of(memory.queries + first_row_of_warp()), memory.keys);
    add_product_of_rows(gradients, left_of(memory.gradients + first_row_of_warp()), memory.values);
    score_gradients<kDrops>(a, draw, seed, tile, memory, tile.begin, first, scale, scores, gradients);
    add_product(sum, left_of(gradients), memory.keys);
  }
  const float by[2] = {score_scale, score_scale};
  store_rows(sum, by, memory.weights + first_row_of_warp(), pointers.projected_gradient + blockIdx.y * kWidth,
             kProjections * a.heads * kWidth, tile.begin + first_row_of_warp(), tile.tree_end);
}

/// The gradients of a tile's keys and values.
template <bool kDrops>
__device__ void key_gradients(const TreeAttention& a, const Draw& draw, const BackwardPointers& pointers,
                              const Tile& tile, float scale, float score_scale, BackwardMemory& memory) {
  copy_projected(a, 1, tile.begin, tile.tree_end, memory.keys);
  copy_projected(a, 2, tile.begin, tile.tree_end, memory.values);
  uint2 seed = make_uint2(0, 0);
  if (kDrops) seed = key_of(draw);
  const int own_rows = first_row_of_warp();
  const float as_they_are[2] = {1.0F, 1.0F};
  Result key_sum;
  Result value_sum;
  for (int first = a.causal ? tile.begin : tile.tree_begin; first < tile.tree_end; first += kTile) {
    if (!may_see(a, tile, first, segment_begin(a, tile, first), tile.begin)) continue;
    __syncthreads();
    copy_queries(a, pointers, tile, first, memory);
    wait_for_copies();
    {
      Result scores;
      Result gradients;
      if (has_rows(tile, first)) {
        add_product_of_rows(scores, left_of(memory.queries + own_rows), memory.keys);
        add_product_of_rows(gradients, left_of(memory.gradients + own_rows), memory.values);
        score_gradients<kDrops>(a, draw, seed, tile, memory, first, tile.begin, scale, scores, gradients);
      }
      stage(scores, as_they_are, memory.weights + own_rows);
      stage(gradients, as_they_are, memory.score_gradients + own_rows);
    }
    __syncthreads();
    if (!has_rows(tile, tile.begin)) continue;
    add_product(value_sum, left_of_columns(memory.weights, own_rows), memory.gradients);
    add_product(key_sum, left_of_columns(memory.score_gradients, own_rows), memory.queries);
  }
  __syncthreads();
  const long stride = kProjections * a.heads * kWidth;
  Bfloat* to = pointers.projected_gradient + blockIdx.y * kWidth;
  const float key_scale[2] = {score_scale, score_scale};
  store_rows(key_sum, key_scale, memory.weights + own_rows, to + a.heads * kWidth, stride, tile.begin + own_rows,
             tile.tree_end);
  store_rows(value_sum, as_they_are, memory.weights + own_rows, to + 2 * a.heads * kWidth, stride,
             tile.begin + own_rows, tile.tree_end);
}

/// A block for each tile and head, of queries and of keys: both work the scores out, and nothing is added by atomics.
template <bool kDrops>
__global__ void __launch_bounds__(kThreads, 3)
    tree_attention_backward(const __grid_constant__ TreeAttention a, const __grid_constant__ Draw draw,
                            const __grid_constant__ BackwardPointers pointers, float scale, float score_scale) {
  extern __shared__ __align__(16) char bytes[];
  auto& memory = *reinterpret_cast<BackwardMemory*>(bytes);
  const Tile tile = tile_of(a);
  if (tile.first_segment == tile.end_segment) return;
  if (blockIdx.z == 0) {
    key_gradients<kDrops>(a, draw, pointers, tile, scale, score_scale, memory);
  } else {
    query_gradients<kDrops>(a, draw, pointers, tile, scale, score_scale, memory);
  }
}

constexpr float kScoreScale = 0.125F;
static_assert(kScoreScale * kScoreScale * kWidth == 1.0F, "scores are divided by the root of a head's width");
constexpr float kLog2OfE = 1.4426950408889634F;

dim3 grid_of(const TreeAttention& a, unsigned kinds) {
  return {static_cast<unsigned>(a.tile_count), static_cast<unsigned>(a.heads), kinds};
}

}  // namespace

void launch_tree_attention(const TreeAttention& attention, void* out, cudaStream_t stream) {
  const Draw draw = to_draw(attention.dropout, kAttentionDraws);
  const auto kernel = draw.threshold > 0 ? tree_attention<true> : tree_attention<false>;
  kernel<<<grid_of(attention, 1), kThreads, 0, stream>>>(attention, draw, static_cast<Bfloat*>(out),
                                                         kScoreScale * kLog2OfE);
}

void launch_tree_attention_backward(const TreeAttention& attention, const void* out, const void* out_gradient,
                                    void* projected_gradient, cudaStream_t stream) {
  const Draw draw = to_draw(attention.dropout, kAttentionDraws);
  const auto kernel = draw.threshold > 0 ? tree_attention_backward<true> : tree_attention_backward<false>;
  constexpr auto kBytes = static_cast<int>(sizeof(BackwardMemory));
  // More than a kernel has unless it asks.
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
  const BackwardPointers pointers = {static_cast<const Bfloat*>(out), static_cast<const Bfloat*>(out_gradient),
                                     static_cast<Bfloat*>(projected_gradient)};
  kernel<<<grid_of(attention, 2), kThreads, kBytes, stream>>>(attention, draw, pointers, kScoreScale * kLog2OfE,
                                                              kScoreScale);
}

}  // namespace gumption
