/// Conversions to bfloat16 that older compiler runtimes lack and the code
/// generator calls for bfloat16 arithmetic. Weak: the compiler's own come first.
#include <bit>
#include <cstdint>

namespace {

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
