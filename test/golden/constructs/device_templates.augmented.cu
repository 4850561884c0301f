#include <cupr/cupr.h> // augmented by cuprewrite
#line 1 "device_templates.cu"
/// Device code in templates: CRTP, friends defined in the class, recursion, default arguments, dependent callees,
/// packs, partial specialisations, deduction guides, instantiations written out.
#include "verdict.h"

template <class D> struct Crtp {
  __device__ int run(const cupr::Trace &cupr_trace, const volatile int *in, int i) const { return static_cast<const D *>(this)->work(cupr_trace, in, i); }
  friend __device__ int outside(const cupr::Trace &cupr_trace, const Crtp &self, const volatile int *in, int i) { return self.run(cupr_trace, in, i) + 1; }
  friend __device__ bool operator==(const Crtp &a, const Crtp &b) { return a.same(cupr::current(), b); }
  __device__ bool same(const cupr::Trace &cupr_trace, const Crtp &) const { return true; }
};
struct Worker : Crtp<Worker> {
  __device__ int work(const cupr::Trace &cupr_trace, const volatile int *in, int i) const { return in[i]; }
};
template <int N> struct Unroll {
  template <class F> static __device__ int sum(const cupr::Trace &cupr_trace, F f) { return f(N - 1) + Unroll<N - 1>::sum(cupr_trace, f); }
};
template <> struct Unroll<0> {
  template <class F> static __device__ int sum(const cupr::Trace &cupr_trace, F) { return 0; }
};
__device__ int odd(const cupr::Trace &cupr_trace, const volatile int *in, int n);
__device__ __noinline__ int even(const cupr::Trace &cupr_trace, const volatile int *in, int n) { return n == 0 ? in[0] : odd(cupr_trace, in, n - 1); }
__device__ __noinline__ int odd(const cupr::Trace &cupr_trace, const volatile int *in, int n) { return n == 0 ? in[1] : even(cupr_trace, in, n - 1); }
template <class T, class... Rest> __device__ T total(const cupr::Trace &cupr_trace, T first, Rest... rest) {
  if constexpr (sizeof...(rest) == 0)
    return first;
  else
    return first + total(cupr_trace, rest...);
}
template <class Policy> struct Algorithm {
  typedef typename Policy::value_type value_type;
  template <class It> static __device__ value_type reduce(const cupr::Trace &cupr_trace, It it, int n, value_type start = Policy::zero(cupr::current())) {
    for (int i = 0; i < n; ++i)
      start = Policy().combine(cupr_trace, start, it[i]);
    return start;
  }
};
struct Sum {
  typedef int value_type;
  static __device__ int zero(const cupr::Trace &cupr_trace) { return 0; }
  __device__ int combine(const cupr::Trace &cupr_trace, int a, int b) const { return a + b; }
};
template <class T> struct Holder {
  T value;
  __device__ explicit Holder(T v) : value(v) {}
  template <class U> __device__ auto plus(const cupr::Trace &cupr_trace, U u) const -> decltype(value + u) { return value + u; }
};
template <class T> Holder(T) -> Holder<T>;
template <class T> __device__ int pick(const cupr::Trace &cupr_trace, T *) { return 1; }
template <class T> __device__ int pick(const cupr::Trace &cupr_trace, const volatile T *) { return 2; }
template __device__ int pick<float>(const cupr::Trace &cupr_trace, float *);
template struct Algorithm<Sum>;
template __device__ int Algorithm<Sum>::reduce<const volatile int *>(const cupr::Trace &cupr_trace, const volatile int *, int, int);

__global__ void kernel(const __grid_constant__ cupr::Trace cupr_trace, int *out, const volatile int *in) {
  const int i = int(threadIdx.x);
  const Worker worker;
  int sum = worker.run(cupr_trace, in, i) + outside(cupr_trace, worker, in, i) + (worker == Worker());
  sum += Unroll<3>::sum(cupr_trace, [=](int k) { return in[i] * k; });
  sum += even(cupr_trace, in, i % 2) + total(cupr_trace, 1, 2, in[i]) + Algorithm<Sum>::reduce(cupr_trace, in, 2) + Holder(in[i]).plus(cupr_trace, 1) + pick(cupr_trace, in) + pick(cupr_trace, out);
  out[i] = sum;
}

int main() {
  Device<int> in(generate<int>(32, [](std::size_t i) { return int(i); })), out(32);
  kernel<<<1, 32>>>(cupr_launch(0), out, static_cast<const int *>(in));
  Verdict verdict("device_templates");
  verdict.equal("out", out.read(), generate<int>(32, [](std::size_t i) { return int(7 * i + 2 + i % 2 + 3 + 1 + 1 + 3); }));
  return verdict.finish();
}
#ifndef CUPR_EDITS_HASH
#define CUPR_EDITS_HASH
CUPR_EDITS(HASH, "device_templates.cu", "6:22+31 6:103+12 7:33+31 7:100+12 8:83+17 9:24+31 12:23+31 15:48+31 15:92+12 18:48+31 20:20+31 21:34+31 21:95+12 22:33+31 22:95+12 23:54+31 27:26+12 31:59+31 31:105+15 33:32+12 39:30+29 40:26+31 45:43+31 48:40+31 49:40+31 50:37+31 52:70+31 54:24+48 57:24+12 57:41+12 58:25+12 59:15+12 59:34+12 59:72+12 59:100+12 59:110+12 59:121+12 65:21+16")
#endif
