// Programs in C++11 stay programs in C++11.
// RUN: %rewritten %s %t -std=c++11 | %filecheck %s

struct Counter {
  int *at;
  template <class T> __device__ T add(T v) { return v + next(); }
  __device__ int next() { return ++*at; }
};
template <class T> struct Base {
  __device__ int get(int i) { return static_cast<T *>(this)->value(i); }
  // CHECK: get(const cupr::Trace &cupr_trace, int i) { return static_cast<T *>(this)->value(cupr_trace, i); }
};
struct Derived : Base<Derived> {
  __device__ int value(int i) { return i; }
  // CHECK: value(const cupr::Trace &cupr_trace, int i)
};
template <class T> class Holder {
public:
  static __global__ void run(T *p) { *p = make(*p); }
  // CHECK: static __global__ void run(const __grid_constant__ cupr::Trace cupr_trace, T *p) { *p = make(cupr_trace, *p); }
  void launch(T *p) { run<<<1, 1>>>(p); }
  // CHECK: void launch(T *p) { run<<<1, 1>>>(cupr_launch(0), p); }

private:
  static __device__ T make(T v);
  // CHECK: static __device__ T make(const cupr::Trace &cupr_trace, T v);
};
template <class T> __device__ T Holder<T>::make(T v) { return v + 1; }
// CHECK: T Holder<T>::make(const cupr::Trace &cupr_trace, T v) { return v + 1; }
template <class T> struct Holder<T *> {
  static __device__ T make(T v) { return Holder<Holder<T>>::other(v); }
};
template class Holder<float>;
// CHECK: template class Holder<float>;
namespace a {
inline namespace v1 {
namespace {
__device__ int find(const Counter &) { return 1; }
// CHECK: int find(const cupr::Trace &cupr_trace, const Counter &) { return 1; }
} // namespace
} // namespace v1
} // namespace a
namespace alias = a;
using a::find;
__global__ void kernel(int *p) {
  Counter counter{p};
  p[0] = counter.add(1) + counter.template add<int>(2) + Derived().get(3) + alias::find(counter) + find(counter);
  // CHECK: p[0] = counter.add(cupr_trace, 1) + counter.template add<int>(cupr_trace, 2) + Derived().get(cupr_trace, 3) + alias::find(cupr_trace, counter) + find(cupr_trace, counter);
}
void host(int *p) {
  kernel<<<1, 1>>>(p);
  Holder<int>().launch(p);
  Holder<int>::run<<<1, 1>>>(p);
  // CHECK: Holder<int>::run<<<1, 1>>>(cupr_launch(2), p);
}
