// Ordinary device functions take the trace argument by reference and hand it on.
// RUN: %rewritten %s %t | %filecheck %s

__device__ int later(int *p, int i);
// CHECK: __device__ int later(const cupr::Trace &cupr_trace, int *p, int i);

__device__ int none(void);
// CHECK: __device__ int none(const cupr::Trace &cupr_trace /*void*/);

__device__ int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
// CHECK: int factorial(const cupr::Trace &cupr_trace, int n) { return n < 2 ? 1 : n * factorial(cupr_trace, n - 1); }

__device__ __forceinline__ int (*pick(int i))[4] { return nullptr; }
// CHECK: int (*pick(const cupr::Trace &cupr_trace, int i))[4] { return nullptr; }

__device__ auto trailing(int i) -> decltype(factorial(i)) { return i; }
// CHECK: auto trailing(const cupr::Trace &cupr_trace, int i) -> decltype(factorial(cupr::current(), i)) { return i; }

__device__ int overloaded(int i) { return i; }
__device__ float overloaded(float f) { return f; }
__host__ __device__ double overloaded(double d) { return d; }
// CHECK: int overloaded(const cupr::Trace &cupr_trace, int i)
// CHECK: float overloaded(const cupr::Trace &cupr_trace, float f)
// CHECK: double overloaded(double d)

__device__ int byDefault(int a, int b = factorial(3)) { return a + b; }
// CHECK: int byDefault(const cupr::Trace &cupr_trace, int a, int b = factorial(cupr::current(), 3))

namespace space {
struct Item {
  int *p;
  __device__ int get(int i) const;
  static __device__ int make() { return none(); }
  __device__ int both() const { return get(0) + this->get(1) + make(); }
};
// CHECK: __device__ int get(const cupr::Trace &cupr_trace, int i) const;
// CHECK: static __device__ int make(const cupr::Trace &cupr_trace) { return none(cupr_trace); }
// CHECK: both(const cupr::Trace &cupr_trace) const { return get(cupr_trace, 0) + this->get(cupr_trace, 1) + make(cupr_trace); }
__device__ int found(Item item) { return item.get(0); }
} // namespace space
__device__ int space::Item::get(int i) const { return later(p, i); }
// CHECK: int space::Item::get(const cupr::Trace &cupr_trace, int i) const { return later(cupr_trace, p, i); }

struct Friendly {
  friend __device__ int visit(Friendly);
  int secret;
};
// CHECK: friend __device__ int visit(const cupr::Trace &cupr_trace, Friendly);
__device__ int visit(Friendly f) { return f.secret; }
// CHECK: __device__ int visit(const cupr::Trace &cupr_trace, Friendly f)

__global__ void kernel(int *p) {
  space::Item item{p};
  p[0] = later(p, later(p, 1)) + none() + (factorial)(3) + item.both() + space::Item::make();
  // CHECK: later(cupr_trace, p, later(cupr_trace, p, 1)) + none(cupr_trace) + (factorial)(cupr_trace, 3) + item.both(cupr_trace) + space::Item::make(cupr_trace);
  p[1] = overloaded(1) + overloaded(1.f) + overloaded(1.0) + byDefault(1) + found(item) + visit(Friendly());
  // CHECK: overloaded(cupr_trace, 1) + overloaded(cupr_trace, 1.f) + overloaded(1.0) + byDefault(cupr_trace, 1) + found(cupr_trace, item) + visit(cupr_trace, Friendly());
  struct Local {
    __device__ int twice(int i) { return 2 * factorial(i); }
  } local;
  // CHECK: int twice(const cupr::Trace &cupr_trace, int i) { return 2 * factorial(cupr_trace, i); }
  p[2] = local.twice(3) + (*pick(1))[0];
  // CHECK: local.twice(cupr_trace, 3) + (*pick(cupr_trace, 1))[0];
}
__device__ int later(int *p, int i) { return p[i]; }
__device__ int none() { return 0; }
// CHECK: __device__ int none(const cupr::Trace &cupr_trace) { return 0; }
