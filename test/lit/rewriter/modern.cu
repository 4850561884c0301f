// Templates, lambdas, friends and macros as real programs mix them.
// RUN: %rewritten %s %t -std=c++20 | %filecheck %s
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

template <class D> struct Base {
  __device__ int run(int i) { return static_cast<D *>(this)->work(i); }
};
// CHECK: int run(const cupr::Trace &cupr_trace, int i) { return static_cast<D *>(this)->work(cupr_trace, i); }
struct Derived : Base<Derived> {
  __device__ int work(int i) { return i; }
};

struct Plus {
  template <class T> __device__ __forceinline__ T combine(T a, T b) const { return a + b; }
  static __device__ int identity() { return 0; }
};
template <class O, class T> __device__ T reduce(O op, T *p, int n) {
  T r = O::identity();
  // CHECK: T r = O::identity(cupr_trace);
  for (int i = 0; i < n; ++i)
    r = op.combine(r, p[i]);
  // CHECK: r = op.combine(cupr_trace, r, p[i]);
  return r;
}

template <int N> struct Unroll {
  template <class Fn> static __device__ void go(Fn f) {
    f(N);
    Unroll<N - 1>::go(f);
    // CHECK: Unroll<N - 1>::go(cupr_trace, f);
  }
};
template <> struct Unroll<0> {
  template <class Fn> static __device__ void go(Fn f) {}
};
// CHECK: static __device__ void go(const cupr::Trace &cupr_trace, Fn f) {}

template <class T> class Matrix {
  T *p;

public:
  __host__ __device__ Matrix(T *p) : p(p) {}
  __device__ T &at(int i, int j);
  __device__ T &operator()(int i, int j) { return at(i, j); }
  // CHECK: T &operator()(int i, int j) { return at(cupr::current(), i, j); }
  template <class U> friend __device__ U peek(Matrix<U> m);
  // CHECK: friend __device__ U peek(const cupr::Trace &cupr_trace, Matrix<U> m);
};
template <class T> __device__ T &Matrix<T>::at(int i, int j) { return p[i * 4 + j]; }
template <class U> __device__ U peek(Matrix<U> m) { return m.p[0]; }
using Peeked = decltype(peek(Matrix<int>(nullptr)));
// CHECK: decltype(peek(cupr::current(), Matrix<int>(nullptr)));

template <class T> __global__ void __launch_bounds__(128, 2) big(Matrix<T> m, T *out) {
  cg::thread_block block = cg::this_thread_block();
  __shared__ T tile[32];
  tile[threadIdx.x] = m.at(0, 1);
  block.sync();
  Unroll<3>::go([&](int i) { tile[i] = peek(m); });
  // CHECK: Unroll<3>::go(cupr_trace, [&](int i) { tile[i] = peek(cupr::current(), m); });
  auto generic = [&](auto x) { return peek(x); };
  // CHECK: [&](auto x) { return peek(cupr::current(), x); };
  if constexpr (sizeof(T) == 4)
    out[0] = reduce(Plus(), tile, 4) + m(1, 2) + Derived().run(1) + generic(m);
  // CHECK: out[0] = reduce(cupr_trace, Plus(), tile, 4) + m(1, 2) + Derived().run(cupr_trace, 1) + generic(m);
}

template <class T> struct Runner {
  cudaStream_t stream;
  void run(Matrix<T> m, T *o) const {
    big<T><<<dim3(1), dim3(32), 0, stream>>>(m, o);
    // CHECK: big<T><<<dim3(1), dim3(32), 0, stream>>>(cupr_launch(0), m, o);
    big<<<1, 1>>>(m, o);
    // CHECK: big<<<1, 1>>>(cupr_launch(1), m, o);
  }
};
#define CALL(k, configuration, ...) k configuration(__VA_ARGS__)
// CHECK: #define CALL(k, configuration, ...) k configuration(cupr_launch(2) __VA_OPT__(,) __VA_ARGS__)
#define SHAPE(g, b) <<<g, b>>>
__global__ void two(int a, float b) {}
__global__ void one(int *p) {}

void host(int *p) {
  Runner<int>{0}.run(Matrix<int>(p), p);
  CALL(two, SHAPE(1, 2), 3, 4.f);
  auto later = [=](int n) { one<<<n, 1>>>(p); };
  // CHECK: one<<<n, 1>>>(cupr_launch(3), p); };
  later(1);
  p ? one<<<1, 1>>>(p) : two<<<1, 1>>>(1, 2);
  // CHECK: p ? one<<<1, 1>>>(cupr_launch(4), p) : two<<<1, 1>>>(cupr_launch(5), 1, 2);
}
