/// Device code in templates: CRTP, friends defined in the class, recursion, default arguments, dependent callees,
/// packs, partial specialisations, deduction guides, instantiations written out.
#include "verdict.h"

template <class D> struct Crtp {
  __device__ int run(const volatile int *in, int i) const { return static_cast<const D *>(this)->work(in, i); }
  friend __device__ int outside(const Crtp &self, const volatile int *in, int i) { return self.run(in, i) + 1; }
  friend __device__ bool operator==(const Crtp &a, const Crtp &b) { return a.same(b); }
  __device__ bool same(const Crtp &) const { return true; }
};
struct Worker : Crtp<Worker> {
  __device__ int work(const volatile int *in, int i) const { return in[i]; }
};
template <int N> struct Unroll {
  template <class F> static __device__ int sum(F f) { return f(N - 1) + Unroll<N - 1>::sum(f); }
};
template <> struct Unroll<0> {
  template <class F> static __device__ int sum(F) { return 0; }
};
__device__ int odd(const volatile int *in, int n);
__device__ __noinline__ int even(const volatile int *in, int n) { return n == 0 ? in[0] : odd(in, n - 1); }
__device__ __noinline__ int odd(const volatile int *in, int n) { return n == 0 ? in[1] : even(in, n - 1); }
template <class T, class... Rest> __device__ T total(T first, Rest... rest) {
  if constexpr (sizeof...(rest) == 0)
    return first;
  else
    return first + total(rest...);
}
template <class Policy> struct Algorithm {
  typedef typename Policy::value_type value_type;
  template <class It> static __device__ value_type reduce(It it, int n, value_type start = Policy::zero()) {
    for (int i = 0; i < n; ++i)
      start = Policy().combine(start, it[i]);
    return start;
  }
};
struct Sum {
  typedef int value_type;
  static __device__ int zero() { return 0; }
  __device__ int combine(int a, int b) const { return a + b; }
};
template <class T> struct Holder {
  T value;
  __device__ explicit Holder(T v) : value(v) {}
  template <class U> __device__ auto plus(U u) const -> decltype(value + u) { return value + u; }
};
template <class T> Holder(T) -> Holder<T>;
template <class T> __device__ int pick(T *) { return 1; }
template <class T> __device__ int pick(const volatile T *) { return 2; }
template __device__ int pick<float>(float *);
template struct Algorithm<Sum>;
template __device__ int Algorithm<Sum>::reduce<const volatile int *>(const volatile int *, int, int);

__global__ void kernel(int *out, const volatile int *in) {
  const int i = int(threadIdx.x);
  const Worker worker;
  int sum = worker.run(in, i) + outside(worker, in, i) + (worker == Worker());
  sum += Unroll<3>::sum([=](int k) { return in[i] * k; });
  sum += even(in, i % 2) + total(1, 2, in[i]) + Algorithm<Sum>::reduce(in, 2) + Holder(in[i]).plus(1) + pick(in) + pick(out);
  out[i] = sum;
}

int main() {
  Device<int> in(generate<int>(32, [](std::size_t i) { return int(i); })), out(32);
  kernel<<<1, 32>>>(out, static_cast<const int *>(in));
  Verdict verdict("device_templates");
  verdict.equal("out", out.read(), generate<int>(32, [](std::size_t i) { return int(7 * i + 2 + i % 2 + 3 + 1 + 1 + 3); }));
  return verdict.finish();
}
