#pragma once

// What our training kernels share: vectors of bfloat16, sums over a warp, and the draws of dropout.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <cuda_bf16.h>

#include "gumption/nn/training_kernels.h"

namespace gumption {

constexpr int kWarp = 32;
constexpr unsigned kAllLanes = 0xffffffffU;
constexpr int kVector = 8;  // bfloat16 numbers in 16 bytes

using Bfloat = __nv_bfloat16;

/// Sixteen bytes of bfloat16, read and written at once.
struct alignas(16) Vector {
  __nv_bfloat162 pairs[kVector / 2];
};

__device__ inline void unpack(const Vector& from, float (&to)[kVector]) {
#pragma unroll
  for (int k = 0; k < kVector / 2; ++k) {
    const float2 pair = __bfloat1622float2(from.pairs[k]);
    to[2 * k] = pair.x;
    to[2 * k + 1] = pair.y;
  }
}

__device__ inline Vector pack(const float (&from)[kVector]) {
  Vector to;
#pragma unroll
  for (int k = 0; k < kVector / 2; ++k) to.pairs[k] = __floats2bfloat162_rn(from[2 * k], from[2 * k + 1]);
  return to;
}

__device__ inline void read_floats(const float* from, float (&to)[kVector]) {
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

__device__ inline void write_floats(const float (&from)[kVector], float* to) {
  reinterpret_cast<float4*>(to)[0] = make_float4(from[0], from[1], from[2], from[3]);
  reinterpret_cast<float4*>(to)[1] = make_float4(from[4], from[5], from[6], from[7]);
}

__device__ inline float sum_of_warp(float value) {
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

inline Draw to_draw(const DropoutDraw& from, unsigned kind) {
  Draw draw{};
  draw.seed = from.seed;
  draw.site = from.site;
  draw.kind = kind;
  const long threshold = std::lround(static_cast<double>(from.probability) * kDrawRange);
  draw.threshold = static_cast<unsigned>(std::min(std::max(threshold, 0L), static_cast<long>(kDrawRange) - 1));
  draw.keep_scale = static_cast<float>(kDrawRange) / static_cast<float>(kDrawRange - draw.threshold);
  return draw;
}

/// Philox4x32 with seven rounds, the fewest that stand all tests of BigCrush (Salmon et al., 2011).
__device__ inline uint4 philox(uint2 key, uint4 counter) {
  constexpr unsigned kMultiplierX = 0xD2511F53U;
  constexpr unsigned kMultiplierZ = 0xCD9E8D57U;
  constexpr unsigned kKeyStepX = 0x9E3779B9U;
  constexpr unsigned kKeyStepY = 0xBB67AE85U;
  constexpr int kRounds = 7;
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

__device__ inline uint2 key_of(const Draw& draw) {
  const auto seed = static_cast<unsigned long long>(*draw.seed);
  return make_uint2(static_cast<unsigned>(seed), static_cast<unsigned>(seed >> 32));
}

/// What the eight numbers of a group are multiplied by: zero or keep_scale.
__device__ inline void draw_factors(const Draw& draw, uint2 key, long group, float (&factors)[kVector]) {
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

}  // namespace gumption
