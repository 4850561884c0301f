/// Device functions that nvcc builds in. Some are missing from clang's headers, others declared there and
/// defined nowhere: those come to light when ptxas finds them unresolved.
#ifndef CUPR_COMPATIBILITY_INTRINSICS_H
#define CUPR_COMPATIBILITY_INTRINSICS_H

#include <cupr/compatibility/host_math.h>

/// Better than a declaration with the same parameters, and no other declaration of the same function.
#define CUPR_DEFINED static __device__ __forceinline__ __attribute__((enable_if(true, "")))

namespace cupr {
namespace compatibility {

/// The number that a NaN carries: octal, decimal or hexadecimal; 0 when the text is none.
static __device__ __forceinline__ unsigned long long payload(const char *text) {
  unsigned base = 10;
  if (*text == '0') {
    base = 8;
    if (*++text == 'x' || *text == 'X') {
      base = 16;
      ++text;
    }
  }
  unsigned long long value = 0;
  for (; *text; ++text) {
    const unsigned digit = *text >= '0' && *text <= '9'   ? *text - '0'
                           : *text >= 'a' && *text <= 'f' ? *text - 'a' + 10
                           : *text >= 'A' && *text <= 'F' ? *text - 'A' + 10
                                                          : 16;
    if (digit >= base)
      return 0;
    value = value * base + digit;
  }
  return value;
}

} // namespace compatibility
} // namespace cupr

CUPR_DEFINED double nan(const char *text) {
  return __longlong_as_double(static_cast<long long>(
      0x7ff8000000000000ull | (cupr::compatibility::payload(text) & 0x7ffffffffffffull)));
}
CUPR_DEFINED float nanf(const char *text) {
  return __int_as_float(static_cast<int>(0x7fc00000u | (cupr::compatibility::payload(text) & 0x3fffffu)));
}
namespace std {
using ::nan;
using ::nanf;
} // namespace std

CUPR_DEFINED unsigned short __nv_bswap16(unsigned short x) { return __builtin_bswap16(x); }
CUPR_DEFINED unsigned __nv_bswap32(unsigned x) { return __builtin_bswap32(x); }
CUPR_DEFINED unsigned long long __nv_bswap64(unsigned long long x) { return __builtin_bswap64(x); }

CUPR_DEFINED unsigned __isGridConstant(const void *p) {
  unsigned is;
  asm("{ .reg .pred is;\n"
      "  isspacep.param is, %1;\n"
      "  selp.u32 %0, 1, 0, is; }"
      : "=r"(is)
      : "l"(p));
  return is;
}

#undef CUPR_DEFINED

template <class... None>
static __device__ __forceinline__
    typename cupr::compatibility::Only<float, None...>::Type __tanhf(float x, None...) {
  float r;
  asm("tanh.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}

#endif
