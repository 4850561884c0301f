#include <cupr/cupr.h> // augmented by cuprewrite
#line 1 "unevaluated.cu"
/// Calls that are never made: in decltype, sizeof, alignof, noexcept, static_assert, array sizes, requirements.
#include "verdict.h"
#include <type_traits>
#include <utility>

__device__ int load(const cupr::Trace &cupr_trace, const int *in) noexcept { return in[threadIdx.x]; }
__device__ double load(const cupr::Trace &cupr_trace, const double *in) { return in[threadIdx.x]; }
using Loaded = decltype(load(cupr::current(), static_cast<const double *>(nullptr)));
static_assert(std::is_same<Loaded, double>::value && sizeof(load(cupr::current(), (const int *)nullptr)) == 4, "");
template <class T> using LoadedBy = decltype(load(cupr::current(), std::declval<const T *>()));
static_assert(std::is_same<LoadedBy<int>, int>::value && alignof(LoadedBy<double>) == alignof(double), "");

struct Box {
  const int *in;
  __device__ int get(const cupr::Trace &cupr_trace) const noexcept(noexcept(load(cupr::current(), in))) { return load(cupr_trace, in); }
  __device__ auto same(const cupr::Trace &cupr_trace) const -> decltype(get(cupr::current())) { return get(cupr_trace); }
  int room[sizeof(load(cupr::current(), static_cast<const int *>(nullptr)))];
};
template <class T, class = decltype(load(cupr::current(), std::declval<T>()))> __device__ int found(const cupr::Trace &cupr_trace, T in) { return int(load(cupr_trace, in)); }
__device__ int found(const cupr::Trace &cupr_trace, ...) { return -1; }
template <class T> __device__ auto checked(const cupr::Trace &cupr_trace, T in) -> typename std::enable_if<noexcept(load(cupr::current(), in)), decltype(load(cupr::current(), in))>::type {
  return load(cupr_trace, in);
}
template <int N> __device__ int constant(const cupr::Trace &cupr_trace) { return N; }

__global__ void kernel(const __grid_constant__ cupr::Trace cupr_trace, int *out, const int *in) {
  decltype(load(cupr_trace, in)) sum = 0;
  char sized[sizeof(load(cupr_trace, in)) + sizeof(Box{in}.get(cupr_trace))];
  static_assert(noexcept(load(cupr_trace, in)) && !noexcept(load(cupr_trace, static_cast<const double *>(nullptr))), "");
  static_assert(sizeof(sized) == 8 && sizeof(Loaded) == 8, "");
  typedef decltype(Box{in}.same(cupr_trace)) Same;
  const Same boxed = Box{in}.same(cupr_trace);
  sum += constant<sizeof(load(cupr_trace, in))>(cupr_trace) + boxed + checked(cupr_trace, in) + found(cupr_trace, in) + found(cupr_trace, "nothing");
  out[threadIdx.x] = sum;
}

int main() {
  Device<int> in(generate<int>(32, [](std::size_t i) { return int(i); })), out(32);
  kernel<<<1, sizeof(Loaded) * 4>>>(cupr_launch(0), out, in);
  const Loaded last = 3;
  Verdict verdict("unevaluated");
  verdict.equal("out", out.read(), generate<int>(32, [=](std::size_t i) { return 3 * int(i) + int(last); }));
  return verdict.finish();
}
#ifndef CUPR_EDITS_HASH
#define CUPR_EDITS_HASH
CUPR_EDITS(HASH, "unevaluated.cu", "6:21+31 7:24+31 8:30+17 9:66+17 10:51+17 15:22+29 15:53+17 15:73+12 16:24+29 16:48+15 16:64+10 17:24+17 19:42+17 19:84+31 19:108+12 20:22+31 21:44+31 21:91+17 21:111+17 22:15+12 24:42+29 26:24+48 27:17+12 28:26+12 28:52+10 29:31+12 29:54+12 31:33+10 32:35+10 33:31+12 33:37+10 33:57+12 33:69+12 33:81+12 39:37+16")
#endif
