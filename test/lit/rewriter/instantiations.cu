// Explicit instantiations are found by name; scope and attributes tell those of one name apart.
// RUN: %rewritten %s %t -std=c++17 2>&1 | %filecheck %s

namespace host {
template <class T> void f(T) {}
template <class T> void g(T) {}
} // namespace host
namespace device {
template <class T> __device__ T f(T v) { return v; }
template <class T> __device__ T g(T v) { return v; }
template __device__ int g<int>(int);
// CHECK: template __device__ int g<int>(const cupr::Trace &cupr_trace, int);
} // namespace device
template void host::f<int>(int);
// CHECK: template void host::f<int>(int);
template __device__ int device::f<int>(int);
// CHECK: template __device__ int device::f<int>(const cupr::Trace &cupr_trace, int);
extern template __device__ float device::f(float);
// CHECK: extern template __device__ float device::f(const cupr::Trace &cupr_trace, float);
template <class T> struct Value {
  template <class U> __device__ U get(U u) { return u + u; }
  template <class U> __device__ void none(void) {}
};
template __device__ int Value<int>::get<int>(int);
// CHECK: template __device__ int Value<int>::get<int>(const cupr::Trace &cupr_trace, int);
template __device__ void Value<Value<int>>::none<int>(void);
// CHECK: template __device__ void Value<Value<int>>::none<int>(const cupr::Trace &cupr_trace /*void*/);
template <class T> __global__ void over(T *p) { *p = device::f(*p); }
template <class T> __global__ void over(T *p, int n) { *p = n; }
template __global__ void over<int>(int *);
// CHECK: template __global__ void over<int>(const __grid_constant__ cupr::Trace cupr_trace, int *);
template __global__ void over<int>(int *, int);
// CHECK: template __global__ void over<int>(const __grid_constant__ cupr::Trace cupr_trace, int *, int);
