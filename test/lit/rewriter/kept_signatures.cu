// Code that keeps its signature asks for the current trace argument.
// RUN: %rewritten %s %t -std=c++17 | %filecheck %s

__device__ int load(const int *p) { return *p; }

__host__ __device__ inline int either(const int *p) {
#ifdef __CUDA_ARCH__
  return load(p);
  // CHECK: return load(cupr::current(), p);
#else
  return *p;
#endif
}

__device__ constexpr int square(int i) { return i * i; }
// CHECK: __device__ constexpr int square(int i)

struct Sum {
  int total;
  __device__ Sum(const int *p) : total(load(p)) {}
  // CHECK: __device__ Sum(const int *p) : total(load(cupr::current(), p)) {}
  __device__ ~Sum() {}
  __device__ int operator()(const int *p) const { return total + load(p); }
  // CHECK: operator()(const int *p) const { return total + load(cupr::current(), p); }
  __device__ operator int() const { return total; }
  __device__ virtual int change(const int *p) { return load(p); }
  // CHECK: virtual int change(const int *p) { return load(cupr::current(), p); }
};
struct More : Sum {
  using Sum::Sum;
  __device__ int change(const int *p) override { return 2 * load(p); }
  // CHECK: int change(const int *p) override { return 2 * load(cupr::current(), p); }
};

template <class Base> struct Derived : Base {
  __device__ Derived(const int *p) : Base(p) {}
  // That it overrides is known once Base is.
  __device__ int change(const int *p) { return 3 * load(p); }
  // CHECK: __device__ int change(const int *p) { return 3 * load(cupr::current(), p); }
};
__device__ void useDerived(int *p) { Derived<Sum> d(p); }

__device__ int chosen(const int *p) { return load(p); }
// CHECK: __device__ int chosen(const int *p) { return load(cupr::current(), p); }
__device__ int (*const table[])(const int *) = {chosen};

template <class F> __global__ void apply(F f, int *p) { *p = f(p); }
// CHECK: void apply(const __grid_constant__ cupr::Trace cupr_trace, F f, int *p) { *p = f(p); }

__global__ void kernel(int *p) {
  auto inner = [p](int i) { return load(p + i); };
  // CHECK: [p](int i) { return load(cupr::current(), p + i); };
  More more(p);
  p[0] = inner(1) + either(p) + square(3) + more(p) + more.change(p) + chosen(p) + table[0](p);
  // CHECK: p[0] = inner(1) + either(p) + square(3) + more(p) + more.change(p) + chosen(p) + table[0](p);
}

void host(int *p) {
  apply<<<1, 1>>>([=] __device__(int *q) { return load(q); }, p);
  // CHECK: apply<<<1, 1>>>(cupr_launch(0), [=] __device__(int *q) { return load(cupr::current(), q); }, p);
}

// An intrinsic of LLVM, whatever it is called here.
extern "C" __device__ int thisLane() __asm("llvm.nvvm.read.ptx.sreg.laneid");
// CHECK: extern "C" __device__ int thisLane() __asm(
__device__ int nextLane() { return thisLane() + 1; }
// CHECK: nextLane(const cupr::Trace &cupr_trace) { return thisLane() + 1; }
