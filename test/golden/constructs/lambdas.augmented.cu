#include <cupr/cupr.h> // augmented by cuprewrite
#line 1 "lambdas.cu"
/// Lambdas on the device: in kernels, generic, handed to functions and to kernels, extended, as default arguments,
/// with launches in lambdas of the host.
#include "verdict.h"

__device__ int load(const cupr::Trace &cupr_trace, const volatile int *in, int i) { return in[i]; }
template <class F> __device__ int applied(const cupr::Trace &cupr_trace, F f, int i) { return f(i); }
template <class F> __device__ __noinline__ int twice(const cupr::Trace &cupr_trace, const F &f, int i) { return applied(cupr_trace, f, i) + f(i); }
template <class F> __global__ void forEach(const __grid_constant__ cupr::Trace cupr_trace, int *out, F f) { out[threadIdx.x] = f(int(threadIdx.x)); }
__device__ int byDefault(const cupr::Trace &cupr_trace, const int *in, int i, int (*f)(int) = [](int i) { return i + 1; }) { return load(cupr_trace, in, f(i) - 1); }

__global__ void inKernel(const __grid_constant__ cupr::Trace cupr_trace, int *out, const int *in) {
  const int i = threadIdx.x;
  const auto get = [=](int k) { return load(cupr::current(), in, k); };
  const auto generic = [&](auto k, auto... more) { return get(int(k)) + int(sizeof...(more)); };
  const auto nested = [&] { return [&](int k) { return load(cupr::current(), in, k) + get(k); }; };
  const int now = [&] { return load(cupr::current(), in, i); }();
  const auto kept = [value = load(cupr::current(), in, i)]() mutable { return value++; };
  auto copy = kept;
  out[i] = twice(cupr_trace, get, i) + generic(i) + generic(short(i), 1, 2) + nested()(i) + now + copy() + byDefault(cupr_trace, in, i);
}

struct Scale {
  int by;
  __device__ int operator()(int i) const { return i * by; }
};

int main() {
  Device<int> in(generate<int>(32, [](std::size_t i) { return int(i); })), out(5 * 32);
  const int *from = in;
  int *at = out;
  const int add = 7;
  inKernel<<<1, 32>>>(cupr_launch(0), at, from);
  forEach<<<1, 32>>>(cupr_launch(1), at + 32, [=] __device__(int i) { return load(cupr::current(), from, i) + add; });
  const auto named = [from] __device__(int i) -> int { return twice(cupr::current(), [=](int k) { return load(cupr::current(), from, k); }, i); };
  forEach<<<1, 32>>>(cupr_launch(2), at + 64, named);
  const auto launch = [&](auto f) { forEach<<<1, 32>>>(cupr_launch(3), at + 96, f); };
  launch(Scale{4});
  const auto either = [=] __host__ __device__(int i) { return 5 * i; };
  forEach<<<1, 32>>>(cupr_launch(4), at + 128, either);
  Verdict verdict("lambdas");
  static const int kFactor[] = {9, 1, 2, 4, 5};
  verdict.equal("out", out.read(), generate<int>(5 * 32, [&](std::size_t i) {
                  return kFactor[i / 32] * int(i % 32) + (i / 32 == 0 ? 2 : i / 32 == 1 ? add : 0) + either(0);
                }));
  return verdict.finish();
}
#ifndef CUPR_EDITS_HASH
#define CUPR_EDITS_HASH
CUPR_EDITS(HASH, "lambdas.cu", "5:21+31 6:43+31 7:54+31 7:90+12 8:44+48 9:26+31 9:107+12 11:26+48 13:45+17 15:61+17 16:37+17 17:35+17 19:18+12 19:106+12 32:23+16 33:22+16 33:67+17 34:69+17 34:94+17 35:22+16 36:56+16 39:22+16")
#endif
