/// Conversions of small floating-point numbers.
///
/// To bfloat16: what older compiler runtimes lack and the code generator calls for bfloat16
/// arithmetic. Weak: the compiler's own come first.
///
/// Of 8 bits: E4M3 and E5M2, named by their exponent's and mantissa's bits. E4M3 has no infinities, and one
/// NaN.
#include "runtime_calls.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace {

struct SmallFormat {
  int mantissaBits, bias;
  std::uint32_t largest, nan; ///< without the sign
};

constexpr SmallFormat smallFormat(std::uint32_t which) {
  return which == cupr::cpu::kE4M3 ? SmallFormat{3, 7, 0x7e, 0x7f} : SmallFormat{2, 15, 0x7b, 0x7f};
}

/// Rounds to nearest, ties to even; a NaN stays one.
__bf16 narrow(float value) {
  std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u)
    bits |= 0x00400000u;
  else
    bits += 0x7fffu + (bits >> 16 & 1u);
  return std::bit_cast<__bf16>(static_cast<std::uint16_t>(bits >> 16));
}

} // namespace

extern "C" {

__attribute__((weak)) __bf16 __truncsfbf2(float value) { return narrow(value); }

__attribute__((weak)) __bf16 __truncdfbf2(double value) {
  // To odd first, so that the second rounding sees what the first one dropped.
  float nearest = static_cast<float>(value);
  std::uint32_t bits = std::bit_cast<std::uint32_t>(nearest);
  if (static_cast<double>(nearest) != value && value == value) {
    const bool away = (nearest > value) == (nearest > 0);
    bits = (away ? bits - 1 : bits) | 1u;
  }
  return narrow(std::bit_cast<float>(bits));
}
}

namespace cupr::cpu::calls {

U32 ToSmallFloat(U32 which, U32 bits) {
  const SmallFormat format = smallFormat(which);
  const float value = std::bit_cast<float>(bits);
  const std::uint32_t sign = bits >> 24 & 0x80u;
  if (std::isnan(value))
    return format.nan;
  const double size = std::min(std::fabs(double{value}), 1e6);
  if (size == 0)
    return sign;
  // Numbers below the smallest normal one have its exponent.
  const int exponent = std::max(std::ilogb(size), 1 - format.bias);
  const double quanta = std::nearbyint(std::ldexp(size, format.mantissaBits - exponent));
  // The leading bit of a normal number's mantissa adds one to the exponent's field, and so does a carry out
  // of rounding.
  const auto found =
      (std::uint32_t(exponent + format.bias - 1) << format.mantissaBits) + std::uint32_t(quanta);
  return sign | std::min(found, format.largest);
}

U32 FromSmallFloat(U32 which, U32 bits) {
  const SmallFormat format = smallFormat(which);
  const std::uint32_t size = bits & 0x7fu;
  const auto mantissa = int(size & ((1u << format.mantissaBits) - 1));
  const int field = int(size >> format.mantissaBits);
  float value;
  if (size > format.largest)
    value = which == kE5M2 && mantissa == 0 ? std::numeric_limits<float>::infinity()
                                            : std::numeric_limits<float>::quiet_NaN();
  else if (field == 0)
    value = std::ldexp(float(mantissa), 1 - format.bias - format.mantissaBits);
  else
    value =
        std::ldexp(float(mantissa + (1 << format.mantissaBits)), field - format.bias - format.mantissaBits);
  return std::bit_cast<std::uint32_t>(bits & 0x80u ? -value : value);
}

} // namespace cupr::cpu::calls
