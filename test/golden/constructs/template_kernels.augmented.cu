#include <cupr/cupr.h> // augmented by cuprewrite
#line 1 "template_kernels.cu"
/// Template kernels: arguments given and deduced, specialised, instantiated, with packs and defaults; launched from
/// templates too.
#include "verdict.h"

template <class T> __global__ void fill(const __grid_constant__ cupr::Trace cupr_trace, T *out, T value) { out[threadIdx.x] = value; }
template <> __global__ void fill<double>(const __grid_constant__ cupr::Trace cupr_trace, double *out, double value) { out[threadIdx.x] = -value; }
template <class T, int N = 2> __global__ void scale(const __grid_constant__ cupr::Trace cupr_trace, T *out, const T *in, T by = T(N)) { out[threadIdx.x] = in[threadIdx.x] * by; }
template <int... N> __global__ void sumOf(const __grid_constant__ cupr::Trace cupr_trace, int *out) { out[threadIdx.x] = (0 + ... + N); }
template <class... T> __global__ void sizes(const __grid_constant__ cupr::Trace cupr_trace, int *out, T...) { out[threadIdx.x] = int(sizeof...(T)); }
template <template <class> class Make> __global__ void made(const __grid_constant__ cupr::Trace cupr_trace, int *out) { out[threadIdx.x] = Make<int>()(threadIdx.x); }
template <bool Value> __global__ void constant(const __grid_constant__ cupr::Trace cupr_trace, int *out) { out[threadIdx.x] = int(Value); }
template __global__ void fill<float>(const __grid_constant__ cupr::Trace cupr_trace, float *, float);
extern template __global__ void fill<short>(const __grid_constant__ cupr::Trace cupr_trace, short *, short);
template __global__ void scale<int, 3>(const __grid_constant__ cupr::Trace cupr_trace, int *, const int *, int);

template <class T> struct Twice {
  __device__ T operator()(T value) const { return 2 * value; }
};

template <class T> void launchAll(T *out) {
  scale<T, 5><<<1, 32>>>(cupr_launch(0), out, out);
  sizes<<<1, 32>>>(cupr_launch(1), out + 32);
  sizes<<<1, 32>>>(cupr_launch(2), out + 64, out, 1, 2.0);
}
template <class T, class... Rest> void launchEach(T *out, Rest... rest) {
  (fill<<<1, 32>>>(cupr_launch(3), out, rest), ...);
  [=](auto *place) { fill<T><<<1, 32>>>(cupr_launch(4), place, T(8)); }(out + 32);
}

int main() {
  Device<int> out(9 * 32);
  Device<double> reals(32);
  int *at = out;
  fill<<<1, 32>>>(cupr_launch(5), at, 1);
  fill<int><<<1, 32>>>(cupr_launch(6), at + 32, 2);
  fill<double><<<1, 32>>>(cupr_launch(7), reals, 3);
  scale<<<1, 32>>>(cupr_launch(8), at + 64, static_cast<const int *>(at));
  scale<int, 3><<<1, 32>>>(cupr_launch(9), at + 96, at);
  scale<int><<<1, 32>>>(cupr_launch(10), at + 128, at, 4);
  sumOf<1, 2, 3><<<1, 32>>>(cupr_launch(11), at + 160);
  made<Twice><<<1, 32>>>(cupr_launch(12), at);
  constant<(3 > 2)><<<1, 32>>>(cupr_launch(13), at + 32);
  launchAll(at + 192);
  launchEach(at + 192, 5, 6);
  Verdict verdict("template_kernels");
  static const int kWanted[] = {0, 1, 2, 3, 4, 6, 6, 8, 3};
  verdict.equal("out", out.read(), generate<int>(9 * 32, [](std::size_t i) { return i < 32 ? 2 * int(i) : kWanted[i / 32]; }));
  verdict.equal("reals", reals.read(), std::vector<double>(32, -3));
  return verdict.finish();
}
#ifndef CUPR_EDITS_HASH
#define CUPR_EDITS_HASH
CUPR_EDITS(HASH, "template_kernels.cu", "5:41+48 6:42+48 7:53+48 8:43+48 9:45+48 10:61+48 11:48+48 12:38+48 13:45+48 14:40+48 21:26+16 22:20+16 23:20+16 26:20+16 27:41+16 34:19+16 35:24+16 36:27+16 37:20+16 38:28+16 39:25+17 40:29+17 41:26+17 42:32+17")
#endif
