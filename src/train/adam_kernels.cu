#include <cuda_bf16.h>

#include "gumption/train/adam_kernels.h"

namespace gumption {

namespace {

constexpr int kVector = 4;  // numbers of a thread: 16 bytes of float32, so that a warp's lie side by side

using Bfloat = __nv_bfloat16;

/// kVector numbers, read and written at once.
template <typename Number>
struct alignas(kVector * sizeof(Number)) Vector {
  Number numbers[kVector];
};

/// The arrays of a step; Gradient is float or bfloat16.
template <typename Gradient>
struct Arrays {
  float* weights;
  float* m;
  float* v;
  const Gradient* gradient;
  Bfloat* compute;
};

__device__ float to_float(float x) { return x; }
__device__ float to_float(Bfloat x) { return __bfloat162float(x); }

/// One number's step.
__device__ void advance(float& weight, float& m, float& v, float gradient, const AdamNumbers& step) {
  m = step.beta1 * m + (1.0F - step.beta1) * gradient;
  v = step.beta2 * v + (1.0F - step.beta2) * gradient * gradient;
  weight -= step.rate * step.decay * weight;
  weight -= step.rate * (m * step.correction1) / (sqrtf(v) * step.correction2 + step.epsilon);
}

template <typename Gradient>
__global__ void adam(Arrays<Gradient> a, const float* scale, long count, AdamNumbers step) {
  const long first = (static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x) * kVector;
  if (first >= count) return;
  const float by = *scale;
  if (first + kVector > count) {
    for (long i = first; i < count; ++i) {
      advance(a.weights[i], a.m[i], a.v[i], to_float(a.gradient[i]) * by, step);
      if (a.compute != nullptr) a.compute[i] = __float2bfloat16(a.weights[i]);
    }
    return;
  }
  auto& weights_place = *reinterpret_cast<Vector<float>*>(a.weights + first);
  auto& m_place = *reinterpret_cast<Vector<float>*>(a.m + first);
  auto& v_place = *reinterpret_cast<Vector<float>*>(a.v + first);
  Vector<float> weights = weights_place;
  Vector<float> m = m_place;
  Vector<float> v = v_place;
  const Vector<Gradient> gradient = *reinterpret_cast<const Vector<Gradient>*>(a.gradient + first);
  Vector<Bfloat> rounded;
#pragma unroll
  for (int i = 0; i < kVector; ++i) {
    advance(weights.numbers[i], m.numbers[i], v.numbers[i], to_float(gradient.numbers[i]) * by, step);
    rounded.numbers[i] = __float2bfloat16(weights.numbers[i]);
  }
  weights_place = weights;
  m_place = m;
  v_place = v;
  if (a.compute != nullptr) *reinterpret_cast<Vector<Bfloat>*>(a.compute + first) = rounded;
}

template <typename Gradient>
void launch(const Arrays<Gradient>& arrays, const float* scale, std::int64_t count, const AdamNumbers& step,
            cudaStream_t stream) {
  constexpr int kThreads = 256;
  constexpr std::int64_t kNumbersOfBlock = static_cast<std::int64_t>(kThreads) * kVector;
  const auto blocks = static_cast<unsigned>((count + kNumbersOfBlock - 1) / kNumbersOfBlock);
  if (blocks > 0) adam<<<blocks, kThreads, 0, stream>>>(arrays, scale, count, step);
}

}  // namespace

void launch_adam(float* weights, float* m, float* v, const void* gradient, bool gradient_is_bfloat16, void* compute,
                 const float* scale, std::int64_t count, const AdamNumbers& step, cudaStream_t stream) {
  auto* rounded = static_cast<Bfloat*>(compute);
  if (gradient_is_bfloat16) {
    launch(Arrays<Bfloat>{weights, m, v, static_cast<const Bfloat*>(gradient), rounded}, scale, count, step, stream);
  } else {
    launch(Arrays<float>{weights, m, v, static_cast<const float*>(gradient), rounded}, scale, count, step, stream);
  }
}

}  // namespace gumption
