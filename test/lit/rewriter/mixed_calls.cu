// Where one text calls functions of both kinds, the device functions keep their signatures.
// RUN: %rewritten %s %t 2>&1 | %filecheck %s
// RUN: %cuprewrite -q --remarks -o %t.remarks --root %S %s 2>&1 | %filecheck %s --check-prefix=REMARK

__device__ __forceinline__ float atomicMax(float *p, float v) { return v; }
// CHECK: float atomicMax(float *p, float v)
// REMARK: mixed_calls.cu:13:3: remark: device function 'atomicMax' keeps its signature: the text of this call means also functions that keep theirs
// REMARK-NEXT: 13 |   atomicMax(p, v);
// REMARK-NEXT: ^
// REMARK-NEXT: mixed_calls.cu:5:34: note: it is declared here
// The toolkit's own for int, ours for float:
template <class T> __device__ void raise(T *p, T v) {
  atomicMax(p, v);
}
// CHECK: void raise(const cupr::Trace &cupr_trace, T *p, T v) {
// CHECK-NEXT: atomicMax(p, v);
struct Ours {
  static __device__ int get(int i) { return i; }
  static __device__ int same(int i) { return i; }
};
struct Theirs {
  static __host__ __device__ int get(int i) { return i; }
  static __device__ int same(int i) { return Ours::get(i); }
};
// CHECK: static __device__ int get(int i) { return i; }
// CHECK: static __device__ int same(const cupr::Trace &cupr_trace, int i) { return i; }
// CHECK: static __device__ int same(const cupr::Trace &cupr_trace, int i) { return Ours::get(i); }
template <class T> __device__ int through(int i) { return T::get(i) + T::same(i); }
// CHECK: { return T::get(i) + T::same(cupr_trace, i); }
__global__ void kernel(int *p, float *q) {
  raise(p, 1), raise(q, 1.f);
  // CHECK: raise(cupr_trace, p, 1), raise(cupr_trace, q, 1.f);
  p[1] = through<Ours>(1) + through<Theirs>(2);
  // CHECK: p[1] = through<Ours>(cupr_trace, 1) + through<Theirs>(cupr_trace, 2);
}
