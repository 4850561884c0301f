// Templates: patterns are edited; what a dependent call means is learnt from the instantiations.
// RUN: %rewritten %s %t -std=c++17 | %filecheck %s

template <class T> __device__ T twice(T v) { return v + v; }
// CHECK: __device__ T twice(const cupr::Trace &cupr_trace, T v)
template <> __device__ int twice<int>(int v) { return 2 * v; }
// CHECK: template <> __device__ int twice<int>(const cupr::Trace &cupr_trace, int v)

struct Plain {
  __device__ int value(int i) const { return i; }
  static __device__ int fixed() { return 1; }
};
struct Shared {
  __host__ __device__ int value(int i) const { return i; }
};

template <class V> __device__ int through(V v) { return v.value(1) + V::fixed(); }
// CHECK: through(const cupr::Trace &cupr_trace, V v) { return v.value(cupr_trace, 1) + V::fixed(cupr_trace); }
template <class V> __device__ int untouched(V v) { return v.value(1); }
// CHECK: untouched(const cupr::Trace &cupr_trace, V v) { return v.value(1); }

template <class T> struct Box {
  T item;
  __device__ T get() const;
  template <class U> __device__ U as() const { return U(get()); }
};
// CHECK: __device__ T get(const cupr::Trace &cupr_trace) const;
// CHECK: U as(const cupr::Trace &cupr_trace) const { return U(get(cupr_trace)); }
template <class T> __device__ T Box<T>::get() const { return twice(item); }
// CHECK: T Box<T>::get(const cupr::Trace &cupr_trace) const { return twice(cupr_trace, item); }
template <> __device__ char Box<char>::get() const { return item; }
// CHECK: char Box<char>::get(const cupr::Trace &cupr_trace) const
template __device__ float Box<float>::get() const;
// CHECK: template __device__ float Box<float>::get(const cupr::Trace &cupr_trace) const;

template <class... A> __device__ int count(A... a) { return sizeof...(a); }
// CHECK: int count(const cupr::Trace &cupr_trace, A... a)

template <class T, int N> __global__ void kernel(T *p) {
  p[0] = twice(p[1]) + twice<T>(p[2]) + ::twice<T>(p[3]);
  // CHECK: p[0] = twice(cupr_trace, p[1]) + twice<T>(cupr_trace, p[2]) + ::twice<T>(cupr_trace, p[3]);
  Box<Box<T>> box{{p[N]}};
  p[1] = box.item.template as<T>();
  // CHECK: p[1] = box.item.template as<T>(cupr_trace);
  p[2] = through(Plain()) + untouched(Shared()) + count() + count(1, 2);
  // CHECK: through(cupr_trace, Plain()) + untouched(cupr_trace, Shared()) + count(cupr_trace) + count(cupr_trace, 1, 2);
}
extern template __global__ void kernel<double, 1>(double *);
// CHECK: extern template __global__ void kernel<double, 1>(const __grid_constant__ cupr::Trace cupr_trace, double *);
template __global__ void kernel<float, (2 > 1)>(float *p);
// CHECK: template __global__ void kernel<float, (2 > 1)>(const __grid_constant__ cupr::Trace cupr_trace, float *p);
template <> __global__ void kernel<char, 0>(char *p) {}
// CHECK: void kernel<char, 0>(const __grid_constant__ cupr::Trace cupr_trace, char *p) {}

template <class T> void launch(T *p) { kernel<T, 1><<<1, 1>>>(p); }
// CHECK: kernel<T, 1><<<1, 1>>>(cupr_launch(0), p);

template <class... A> __global__ void many(A... a) {}
// CHECK: void many(const __grid_constant__ cupr::Trace cupr_trace, A... a) {}
template <class... A> void launchMany(A... a) { many<A...><<<1, 1>>>(a...); }
// CHECK: many<A...><<<1, 1>>>(cupr_launch(1), a...);

void host(int *p) {
  launch(p);
  launchMany();
  launchMany(1, p);
}
