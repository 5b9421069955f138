#include "gumption/weights/float_conversion.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "gumption/base/error.h"

namespace gumption {

namespace {

constexpr std::size_t kPiece = 1 << 16;  // elements converted at a time

float half_to_float(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000U) << 16;
  const std::uint32_t exponent = (half >> 10) & 0x1FU;
  const std::uint32_t fraction = half & 0x3FFU;
  if (exponent == 0) {
    const float magnitude = std::ldexp(static_cast<float>(fraction), -24);
    return sign != 0 ? -magnitude : magnitude;
  }
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7F800000U | fraction << 13);
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

/// `value` shifted right, rounded to nearest, ties to even.
std::uint32_t shifted_even(std::uint32_t value, std::uint32_t shift) {
  const std::uint32_t kept = value >> shift;
  const std::uint32_t rest = value & ((1U << shift) - 1);
  const std::uint32_t middle = 1U << (shift - 1);
  return kept + (rest > middle || (rest == middle && (kept & 1U) != 0) ? 1 : 0);
}

std::uint16_t float_to_half(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000U);
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  if (magnitude > 0x7F800000U) return static_cast<std::uint16_t>(sign | 0x7E00U);  // not a number
  const std::uint32_t exponent = magnitude >> 23;
  if (exponent >= 143) return static_cast<std::uint16_t>(sign | 0x7C00U);  // 2^16 and more
  if (exponent >= 113) {  // a carry out of the fraction rightly ends in the exponent
    return static_cast<std::uint16_t>(sign | (shifted_even(magnitude, 13) - (112U << 10)));
  }
  if (exponent < 102) return sign;  // below half of the smallest
  const std::uint32_t fraction = (magnitude & 0x7FFFFFU) | 0x800000U;
  return static_cast<std::uint16_t>(sign | shifted_even(fraction, 126 - exponent));
}

std::uint16_t float_to_bfloat(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7FFFFFFFU) > 0x7F800000U) return 0x7FC0U;
  return static_cast<std::uint16_t>(shifted_even(bits, 16));
}

template <class Stored>
Stored load(const char* from) {
  Stored value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

void to_floats(const char* from, ElementType type, std::size_t count, float* to) {
  for (std::size_t i = 0; i < count; ++i) {
    switch (type) {
      case ElementType::kFloat64:
        to[i] = static_cast<float>(load<double>(from + 8 * i));
        break;
      case ElementType::kFloat32:
        to[i] = load<float>(from + 4 * i);
        break;
      case ElementType::kFloat16:
        to[i] = half_to_float(load<std::uint16_t>(from + 2 * i));
        break;
      default:
        to[i] = std::bit_cast<float>(static_cast<std::uint32_t>(load<std::uint16_t>(from + 2 * i)) << 16);
        break;
    }
  }
}

void from_floats(const float* from, ElementType type, std::size_t count, char* to) {
  for (std::size_t i = 0; i < count; ++i) {
    if (type == ElementType::kFloat64) {
      const double value = from[i];
      std::memcpy(to + 8 * i, &value, 8);
    } else if (type == ElementType::kFloat32) {
      std::memcpy(to + 4 * i, &from[i], 4);
    } else {
      const std::uint16_t value = type == ElementType::kFloat16 ? float_to_half(from[i]) : float_to_bfloat(from[i]);
      std::memcpy(to + 2 * i, &value, 2);
    }
  }
}

}  // namespace

void convert_elements(std::string_view bytes, ElementType from, ElementType to,
                      const std::function<void(std::string_view)>& sink) {
  if (from == to) {
    sink(bytes);
    return;
  }
  ensure(is_floating(from) && is_floating(to), "only floating-point elements are converted");
  const std::size_t width = size_of(from);
  const std::size_t count = bytes.size() / width;
  std::vector<float> floats(std::min(count, kPiece));
  std::vector<char> converted(floats.size() * size_of(to));
  for (std::size_t done = 0; done < count; done += kPiece) {
    const std::size_t piece = std::min(kPiece, count - done);
    to_floats(bytes.data() + done * width, from, piece, floats.data());
    from_floats(floats.data(), to, piece, converted.data());
    sink({converted.data(), piece * size_of(to)});
  }
}

}  // namespace gumption
