#include <cupr/cupr.h> // augmented by cuprewrite
#line 1 "asked_calls.cu"
/// Calls that the compiler only tries: in concepts, in decltype of template parameters, results and specialisations.
/// The answers must stay what they were, and what is chosen by them.
#include "verdict.h"
#include <type_traits>
#include <utility>

template <class T, class = void> struct HasGet : std::false_type {};
template <class T> struct HasGet<T, decltype(void(std::declval<const T &>().get(0)))> : std::true_type {};

struct Getter {
  const volatile int *in;
  __device__ int get(int i) const { return in[i]; }
};
struct Other {
  const volatile int *in;
  __device__ int other(const cupr::Trace &cupr_trace, int i) const { return in[i] + 1000; }
};
static_assert(HasGet<Getter>::value && !HasGet<Other>::value, "");

template <class T> __device__ typename std::enable_if<HasGet<T>::value, int>::type byTrait(const cupr::Trace &cupr_trace, const T &from, int i) { return from.get(i); }
template <class T> __device__ typename std::enable_if<!HasGet<T>::value, int>::type byTrait(const cupr::Trace &cupr_trace, const T &from, int i) { return from.other(cupr_trace, i); }

template <class T> __device__ auto byResult(const cupr::Trace &cupr_trace, const T &from, int i, int) -> decltype(from.other(cupr::current(), i)) { return from.other(cupr_trace, i); }
template <class T> __device__ int byResult(const cupr::Trace &cupr_trace, const T &from, int i, long) { return from.get(i) + 100; }

template <class T, class = decltype(std::declval<const T &>().get(0))> __device__ int byParameter(const cupr::Trace &cupr_trace, const T &, int) { return 1; }
template <class T> __device__ int byParameter(const cupr::Trace &cupr_trace, const T &, ...) { return 2; }

__device__ int freely(const cupr::Trace &cupr_trace, const volatile int *in, int i) { return in[i]; }
template <class T> __device__ auto byName(const cupr::Trace &cupr_trace, const T &from, int i) -> decltype(freely(cupr::current(), from.in, i)) { return freely(cupr_trace, from.in, i); }

__global__ void kernel(const __grid_constant__ cupr::Trace cupr_trace, int *out, const volatile int *in) {
  const int i = int(threadIdx.x);
  const Getter getter{in};
  const Other other{in};
  out[i] = byTrait(cupr_trace, getter, i) + byTrait(cupr_trace, other, i) + byResult(cupr_trace, getter, i, 0) + byResult(cupr_trace, other, i, 0) + byName(cupr_trace, getter, i);
  out[i + 32] = 10 * byParameter(cupr_trace, getter, 0) + byParameter(cupr_trace, other, 0);
}

int main() {
  Device<int> in(generate<int>(32, [](std::size_t i) { return int(i); })), out(64);
  kernel<<<1, 32>>>(cupr_launch(0), out, static_cast<const int *>(in));
  Verdict verdict("asked_calls");
  verdict.equal("out", out.read(), generate<int>(64, [](std::size_t i) { return int(i < 32 ? 5 * i + 2100 : 12); }));
  return verdict.finish();
}
#ifndef CUPR_EDITS_HASH
#define CUPR_EDITS_HASH
CUPR_EDITS(HASH, "asked_calls.cu", "16:24+31 20:92+31 21:93+31 21:135+12 23:45+31 23:95+17 23:119+12 24:44+31 26:99+31 27:47+31 29:23+31 30:43+31 30:84+17 30:113+12 32:24+48 36:20+12 36:41+12 36:62+12 36:87+12 36:109+12 37:34+12 37:59+12 42:21+16")
#endif
