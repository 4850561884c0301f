// Lists that come from a macro's variadic parameter, named or not, and may be empty.
// RUN: %rewritten %s %t | %filecheck %s

#define NAMED(kernel, args...) kernel<<<1, 32>>>(args)
// CHECK: #define NAMED(kernel, args...) kernel<<<1, 32>>>(cupr_launch(0), ##args)
#define LONG(kernel, \
             args...) \
  do { \
    kernel<<<1, 32>>>( args); \
  } while (0)
// CHECK: kernel<<<1, 32>>>(cupr_launch(1), ## args);
#define BEHIND(kernel, ...) kernel<<<1, 32>>>(p, ##__VA_ARGS__)
// CHECK: kernel<<<1, 32>>>(cupr_launch(2), p, ##__VA_ARGS__)
#define BOTH(kernel, config, list) kernel<<<config>>> list
#define COMMA_CONFIG 1, 32, 0
#define TWICE(x) x, x
#define WITH_BODY(name, parameters, body) \
  __global__ void name parameters { body; }
#define TYPED(T) \
  __global__ void typed_##T(T *p) { p[0] = first(p); }
// CHECK: __global__ void typed_##T(const __grid_constant__ cupr::Trace cupr_trace, T *p) { p[0] = first(cupr_trace, p); }

template <class T> __device__ T first(T *p) { return p[0]; }
__global__ void nothing() {}
__global__ void some(int *p) {}
__global__ void more(int *p, int n) {}
WITH_BODY(bodied, (int *p, int n), p[0] = first(p) + n)
// CHECK: WITH_BODY(bodied, (const __grid_constant__ cupr::Trace cupr_trace, int *p, int n), p[0] = first(cupr_trace, p) + n)
TYPED(int)
TYPED(float)

void host(int *p) {
  NAMED(nothing);
  NAMED(some, p);
  NAMED(more, p, 1);
  LONG(nothing);
  LONG(more, p, 2);
  BEHIND(some);
  BEHIND(more, 3);
  BOTH(more, COMMA_CONFIG, (p, 4));
  // CHECK: BOTH(more, COMMA_CONFIG, (cupr_launch(3), p, 4));
  TWICE((some<<<1, 1>>>(p)));
  // CHECK: TWICE((some<<<1, 1>>>(cupr_launch(4), p)));
  TWICE((bodied<<<1, 1>>>(p, 5), typed_int<<<1, 1>>>(p)));
  // CHECK: TWICE((bodied<<<1, 1>>>(cupr_launch(5), p, 5), typed_int<<<1, 1>>>(cupr_launch(6), p)));
}
