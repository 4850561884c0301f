// What C++20 adds: abbreviated templates, constraints, folds, generic lambdas.
// RUN: %rewritten %s %t -std=c++20 | %filecheck %s

__device__ int load(const auto *p) { return int(*p); }
// CHECK: int load(const cupr::Trace &cupr_trace, const auto *p)
template <class T>
concept Loadable = requires(const T *p) { *p; };
template <Loadable T>
  requires(sizeof(T) <= 8)
__device__ int checked(const T *p) {
  return load(p);
}
// CHECK: __device__ int checked(const cupr::Trace &cupr_trace, const T *p) {
// CHECK-NEXT: return load(cupr_trace, p);
template <class T>
__device__ int behind(const T *p)
  requires requires { load(p); }
{
  if constexpr (sizeof(T) == 4)
    return load(p);
  else
    return checked(p) + behind(p);
}
// CHECK: requires requires { load(cupr::current(), p); }
// CHECK: return load(cupr_trace, p);
// CHECK: return checked(cupr_trace, p) + behind(cupr_trace, p);
struct Pair {
  int a, b;
  __device__ auto operator<=>(const Pair &) const = default;
};
__device__ Pair pair(int i) { return {.a = i, .b = load(&i)}; }
// CHECK: Pair pair(const cupr::Trace &cupr_trace, int i) { return {.a = i, .b = load(cupr_trace, &i)}; }
template <class... T> __device__ int total(const T *...p) { return (load(p) + ... + 0); }
// CHECK: int total(const cupr::Trace &cupr_trace, const T *...p) { return (load(cupr_trace, p) + ... + 0); }
template <auto N, class... T> __global__ void kernel(int *out, const T *...p) {
  auto [a, b] = pair(N);
  // CHECK: auto [a, b] = pair(cupr_trace, N);
  auto generic = [&]<class U>(const U *q, auto... more) { return load(q) + total(more...); };
  // CHECK: { return load(cupr::current(), q) + total(cupr::current(), more...); };
  *out = generic(out, p...) + a + b + behind(out);
  // CHECK: *out = generic(out, p...) + a + b + behind(cupr_trace, out);
  for (Pair one = pair(1); one.a < 3; ++one.a)
    *out += one.a;
  // CHECK: for (Pair one = pair(cupr_trace, 1); one.a < 3; ++one.a)
}
template <class... T> void host(int *out, const T *...p) {
  (kernel<sizeof(T)><<<1, 1>>>(out, p), ...);
  // CHECK: (kernel<sizeof(T)><<<1, 1>>>(cupr_launch(0), out, p), ...);
  kernel<3><<<1, 1>>>(out, p...);
  // CHECK: kernel<3><<<1, 1>>>(cupr_launch(1), out, p...);
}
void run(int *p, float *f) { host(p, p, f); }
