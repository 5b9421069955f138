#include "gumption/nn/cpu_kernels.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <ATen/Parallel.h>

#include "gumption/base/each_width.h"

namespace gumption {

namespace {

// bfloat16 is the upper half of a float32.
inline float widened(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }
inline float widened(float value) { return value; }

inline void narrow_to(float value, float& out) { out = value; }
inline void narrow_to(float value, std::uint16_t& out) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  out = static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);  // to nearest, ties to even
}

constexpr std::int64_t kLanes = 16;  // sums side by side, so that they fill a vector

/// `rows` rows from their first; `y` may be nullptr.
template <class Number>
struct NormRows {
  const Number* x;
  const Number* y;
  const Number* weight;
  const Number* bias;
  Number* out;
  float* sums;  // `hidden` numbers to work in
  std::int64_t rows;
  std::int64_t hidden;
  float epsilon;
};

template <class Number>
inline __attribute__((always_inline)) void norm_rows(const NormRows<Number>& in) {
  for (std::int64_t row = 0; row < in.rows; ++row) {
    const Number* x = in.x + row * in.hidden;
    const Number* y = in.y == nullptr ? nullptr : in.y + row * in.hidden;
    Number* out = in.out + row * in.hidden;
    std::array<float, kLanes> sum{};
    std::array<float, kLanes> squares{};
    for (std::int64_t at = 0; at < in.hidden; at += kLanes) {
      for (std::int64_t k = 0; k < kLanes; ++k) {
        const float value = widened(x[at + k]) + (y == nullptr ? 0.0F : widened(y[at + k]));
        in.sums[at + k] = value;
        sum[static_cast<std::size_t>(k)] += value;
      }
    }
    float mean = 0;
    for (const float part : sum) mean += part;
    mean /= static_cast<float>(in.hidden);
    for (std::int64_t at = 0; at < in.hidden; at += kLanes) {
      for (std::int64_t k = 0; k < kLanes; ++k) {
        const float distance = in.sums[at + k] - mean;
        squares[static_cast<std::size_t>(k)] += distance * distance;
      }
    }
    float variance = 0;
    for (const float part : squares) variance += part;
    const float scale = 1.0F / std::sqrt(variance / static_cast<float>(in.hidden) + in.epsilon);
    for (std::int64_t at = 0; at < in.hidden; ++at) {
      narrow_to((in.sums[at] - mean) * scale * widened(in.weight[at]) + widened(in.bias[at]), out[at]);
    }
  }
}

GUMPTION_FOR_EACH_WIDTH void norm_rows_float(const NormRows<float>& in) { norm_rows(in); }
GUMPTION_FOR_EACH_WIDTH void norm_rows_bfloat(const NormRows<std::uint16_t>& in) { norm_rows(in); }

/// Sixteen numbers in one register, or in several narrower ones.
using Vector = float __attribute__((vector_size(kLanes * sizeof(float))));
using IntVector = std::int32_t __attribute__((vector_size(kLanes * sizeof(std::int32_t))));

/// Each x ≤ 0 becomes e to the x, to a few units in the last place: 2 to the n times a polynomial. (By reference, since
/// vectors wider than the plain build's can't be passed.)
inline __attribute__((always_inline)) void exponentiate(Vector& x) {
  constexpr float kLog2E = 1.44269504F;
  constexpr float kRounder = 12582912.0F;  // 1.5 · 2^23: adding it leaves no room for fractions
  const Vector lowest = Vector{} - 126.0F;
  const Vector scaled = x * kLog2E;
  const Vector t = scaled < lowest ? lowest : scaled;
  const Vector shifted = t + kRounder;
  const Vector f = (t - (shifted - kRounder)) * 0.693147181F;
  IntVector n;
  std::memcpy(&n, &shifted, sizeof(n));
  n -= std::bit_cast<std::int32_t>(kRounder);
  Vector power = f * 0.00138888889F + 0.00833333333F;
  power = power * f + 0.0416666667F;
  power = power * f + 0.166666667F;
  power = power * f + 0.5F;
  power = power * f + 1.0F;
  power = power * f + 1.0F;
  const IntVector bits = (n + 127) << 23;
  Vector factor;
  std::memcpy(&factor, &bits, sizeof(factor));
  x = power * factor;
}

/// One segment of one head: rows of queries and keys, each behind the last by a stride.
template <class Number>
struct HeadSegment {
  const Number* query;
  std::int64_t query_stride;
  std::int64_t queries;
  // Keys and values: the parent's rows and then the segment's own.
  const Number* parent_key;
  const Number* parent_value;
  std::int64_t parents;
  const Number* key;
  const Number* value;
  std::int64_t key_stride;
  std::int64_t value_stride;
  Number* out;
  std::int64_t out_stride;
  bool causal;
};

/// Keys and values of a segment as vectors; keys are turned, a row for each number of the head.
template <int kWidth, int kKeys>
struct AttentionRoom {
  union {
    Vector keys[kWidth][kKeys / kLanes];
    float key[kWidth][kKeys];
  };
  union {
    Vector values[kKeys][kWidth / kLanes];
    float value[kKeys][kWidth];
  };
};

template <class Number, int kWidth, int kKeys>
inline __attribute__((always_inline)) void take_rows(const HeadSegment<Number>& in,
                                                     AttentionRoom<kWidth, kKeys>& room) {
  const auto take = [&](const Number* key, const Number* value, std::int64_t from, std::int64_t count) {
    for (std::int64_t j = 0; j < count; ++j) {
      for (int d = 0; d < kWidth; ++d) room.key[d][from + j] = widened(key[j * in.key_stride + d]);
      for (int d = 0; d < kWidth; ++d) room.value[from + j][d] = widened(value[j * in.value_stride + d]);
    }
  };
  take(in.parent_key, in.parent_value, 0, in.parents);
  take(in.key, in.value, in.parents, in.queries);
  const std::int64_t keys = in.parents + in.queries;
  for (int d = 0; d < kWidth; ++d) {
    for (std::int64_t j = keys; j < kKeys; ++j) room.key[d][j] = 0;
  }
}

/// Turns scores into weights that sum to `total`; those from `seen` on become 0.
template <int kKeys>
inline __attribute__((always_inline)) float soften(Vector (&scores)[kKeys / kLanes], std::int64_t seen) {
  const IntVector places = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const auto end = static_cast<std::int32_t>(seen);
  const Vector none = Vector{} - std::numeric_limits<float>::infinity();
  Vector most = none;
#pragma GCC unroll 8
  for (int v = 0; v < kKeys / kLanes; ++v) {
    scores[v] = places + static_cast<std::int32_t>(v * kLanes) < end ? scores[v] : none;
    most = most < scores[v] ? scores[v] : most;
  }
  float highest = most[0];
  for (int k = 1; k < kLanes; ++k) highest = std::max(highest, most[k]);
  Vector sums = {};
#pragma GCC unroll 8
  for (int v = 0; v < kKeys / kLanes; ++v) {
    Vector weights = scores[v] - highest;
    exponentiate(weights);
    scores[v] = places + static_cast<std::int32_t>(v * kLanes) < end ? weights : Vector{};
    sums += scores[v];
  }
  float total = 0;
  for (int k = 0; k < kLanes; ++k) total += sums[k];
  return total;
}

template <class Number, int kWidth, int kKeys>
inline __attribute__((always_inline)) void attend_rows(const HeadSegment<Number>& in) {
  constexpr int kKeyVectors = kKeys / kLanes;
  constexpr int kWidthVectors = kWidth / kLanes;
  AttentionRoom<kWidth, kKeys> room;
  take_rows(in, room);
  const float scale = 1.0F / std::sqrt(static_cast<float>(kWidth));
  const std::int64_t keys = in.parents + in.queries;
  for (std::int64_t i = 0; i < in.queries; ++i) {
    const Number* query = in.query + i * in.query_stride;
    Vector scores[kKeyVectors] = {};
    for (int d = 0; d < kWidth; ++d) {
      const float q = widened(query[d]) * scale;
#pragma GCC unroll 8
      for (int v = 0; v < kKeyVectors; ++v) scores[v] += q * room.keys[d][v];
    }
    const std::int64_t seen = in.causal ? in.parents + i + 1 : keys;
    const float share = 1.0F / soften<kKeys>(scores, seen);
    alignas(64) float weights[kKeys];
    std::memcpy(weights, scores, sizeof(weights));
    Vector sums[kWidthVectors] = {};
    for (std::int64_t j = 0; j < seen; ++j) {
      const float weight = weights[j];
#pragma GCC unroll 4
      for (int v = 0; v < kWidthVectors; ++v) sums[v] += weight * room.values[j][v];
    }
    alignas(64) float results[kWidth];
    std::memcpy(results, sums, sizeof(results));
    Number* out = in.out + i * in.out_stride;
    for (int d = 0; d < kWidth; ++d) narrow_to(results[d] * share, out[d]);
  }
}

template <class Number, int kWidth>
inline __attribute__((always_inline)) void attend_segment(const HeadSegment<Number>& in) {
  const std::int64_t keys = in.parents + in.queries;
  if (keys <= 16) {
    attend_rows<Number, kWidth, 16>(in);
  } else if (keys <= 32) {
    attend_rows<Number, kWidth, 32>(in);
  } else if (keys <= 48) {
    attend_rows<Number, kWidth, 48>(in);
  } else if (keys <= 64) {
    attend_rows<Number, kWidth, 64>(in);
  } else {
    attend_rows<Number, kWidth, kLongestShortSegment>(in);
  }
}

GUMPTION_FOR_EACH_WIDTH void attend_32(const HeadSegment<float>& in) { attend_segment<float, 32>(in); }
GUMPTION_FOR_EACH_WIDTH void attend_64(const HeadSegment<float>& in) { attend_segment<float, 64>(in); }
GUMPTION_FOR_EACH_WIDTH void attend_32_bfloat(const HeadSegment<std::uint16_t>& in) {
  attend_segment<std::uint16_t, 32>(in);
}
GUMPTION_FOR_EACH_WIDTH void attend_64_bfloat(const HeadSegment<std::uint16_t>& in) {
  attend_segment<std::uint16_t, 64>(in);
}

void attend_any(const HeadSegment<float>& in, std::int64_t width) { width == 32 ? attend_32(in) : attend_64(in); }
void attend_any(const HeadSegment<std::uint16_t>& in, std::int64_t width) {
  width == 32 ? attend_32_bfloat(in) : attend_64_bfloat(in);
}

template <class Number>
const Number* numbers_of(const at::Tensor& x) {
  return static_cast<const Number*>(x.const_data_ptr());
}

template <class Number>
void attend_all(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, const Layout& layout,
                bool causal, at::Tensor& out) {
  const std::int64_t heads = query.size(1);
  const std::int64_t width = query.size(2);
  const auto segments = static_cast<std::int64_t>(layout.segments.size());
  const std::int64_t items = segments * heads;
  constexpr std::int64_t kItemsAtOnce = 4;
  at::parallel_for(0, items, kItemsAtOnce, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t item = begin; item < end; ++item) {
      // Head by head: segments come sorted by length, and a thread with only the longest would keep the others waiting.
      const Segment& segment = layout.segments[static_cast<std::size_t>(item % segments)];
      const std::int64_t head = item / segments * width;
      const Segment none;
      const Segment& parent = segment.parent < 0 ? none : layout.segments[static_cast<std::size_t>(segment.parent)];
      const auto at = [&](const at::Tensor& x, std::int64_t row) {
        return numbers_of<Number>(x) + row * x.stride(0) + head;
      };
      HeadSegment<Number> in;
      in.query = at(query, segment.begin);
      in.query_stride = query.stride(0);
      in.queries = segment.length;
      in.parent_key = at(key, parent.begin);
      in.parent_value = at(value, parent.begin);
      in.parents = parent.length;
      in.key = at(key, segment.begin);
      in.value = at(value, segment.begin);
      in.key_stride = key.stride(0);
      in.value_stride = value.stride(0);
      in.out = static_cast<Number*>(out.mutable_data_ptr()) + segment.begin * out.stride(0) + head;
      in.out_stride = out.stride(0);
      in.causal = causal;
      attend_any(in, width);
    }
  });
}

template <class Number>
void norm_all(const at::Tensor& x, const at::Tensor& y, const at::Tensor& weight, const at::Tensor& bias, float epsilon,
              at::Tensor& out, void (*kernel)(const NormRows<Number>&)) {
  const std::int64_t hidden = x.size(-1);
  constexpr std::int64_t kRowsAtOnce = 16;
  at::parallel_for(0, x.numel() / hidden, kRowsAtOnce, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> sums(static_cast<std::size_t>(hidden));
    const auto at = [&](const at::Tensor& all) { return numbers_of<Number>(all) + begin * hidden; };
    kernel({at(x), y.defined() ? at(y) : nullptr, numbers_of<Number>(weight), numbers_of<Number>(bias),
            static_cast<Number*>(out.mutable_data_ptr()) + begin * hidden, sums.data(), end - begin, hidden, epsilon});
  });
}

bool is_plain(const at::Tensor& x, at::ScalarType type) {
  return x.device().is_cpu() && x.scalar_type() == type && x.is_contiguous();
}

}  // namespace

std::optional<at::Tensor> cpu_layer_norm(const at::Tensor& x, const at::Tensor& y, const at::Tensor& weight,
                                         const at::Tensor& bias, double epsilon) {
  const at::ScalarType type = x.scalar_type();
  const bool plain =
      is_plain(x, type) && (!y.defined() || is_plain(y, type)) && is_plain(weight, type) && is_plain(bias, type);
  if (!plain || x.size(-1) % kLanes != 0 || (type != at::kFloat && type != at::kBFloat16)) return std::nullopt;
  at::Tensor out = at::empty_like(x);
  if (type == at::kFloat) {
    norm_all<float>(x, y, weight, bias, static_cast<float>(epsilon), out, norm_rows_float);
  } else {
    norm_all<std::uint16_t>(x, y, weight, bias, static_cast<float>(epsilon), out, norm_rows_bfloat);
  }
  return out;
}

std::optional<at::Tensor> cpu_short_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                                              const Layout& layout, bool causal) {
  const std::int64_t width = query.size(2);
  if (width != 32 && width != 64) return std::nullopt;
  const at::ScalarType type = query.scalar_type();
  if (!query.device().is_cpu() || (type != at::kFloat && type != at::kBFloat16)) return std::nullopt;
  for (const at::Tensor* x : {&query, &key, &value}) {
    if (x->scalar_type() != type || x->stride(2) != 1 || x->stride(1) != width) return std::nullopt;
  }
  at::Tensor out = at::empty(query.sizes(), query.options());
  if (type == at::kFloat) {
    attend_all<float>(query, key, value, layout, causal, out);
  } else {
    attend_all<std::uint16_t>(query, key, value, layout, causal, out);
  }
  return out;
}

}  // namespace gumption
