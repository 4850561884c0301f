// Macros: what they wrote once is edited once, in their bodies.
// RUN: %rewritten %s %t | %filecheck %s

#define LAUNCH(kernel, ...) kernel<<<1, 32>>>(__VA_ARGS__)
// CHECK: #define LAUNCH(kernel, ...) kernel<<<1, 32>>>(cupr_launch(0) __VA_OPT__(,) __VA_ARGS__)
#define GUARDED(...)                                                                                                   \
  do {                                                                                                                 \
    __VA_ARGS__;                                                                                                          \
    if (cudaGetLastError() != cudaSuccess)                                                                             \
      return;                                                                                                          \
  } while (0)
#define CONFIGURATION 1, 32
#define KERNEL(name) __global__ void name##Kernel
#define AT(i) load(p, i)
// CHECK: #define AT(i) load(cupr::current(), p, i)
#define CALL(f, x) f(p, x)
// CHECK: #define CALL(f, x) f(cupr_trace, p, x)
#define EMPTY

__device__ int load(const int *p, int i) { return p[i]; }

KERNEL(paste)(int *p) { p[0] = AT(1) + CALL(load, 2); }
// CHECK: KERNEL(paste)(const __grid_constant__ cupr::Trace cupr_trace, int *p) { p[0] = AT(1) + CALL(load, 2); }
KERNEL(lambda)(EMPTY) {
  int p[1] = {1};
  auto f = [&] { return AT(0); };
  p[0] = f();
}

void host(int *p) {
  LAUNCH(pasteKernel, p);
  LAUNCH(lambdaKernel);
  GUARDED((pasteKernel<<<CONFIGURATION>>>(p)));
  GUARDED(lambdaKernel<<<1, 1>>>());
}
// CHECK: LAUNCH(pasteKernel, p);
// CHECK: ((pasteKernel<<<CONFIGURATION>>>(cupr_launch(1), p)));
// CHECK: GUARDED(lambdaKernel<<<1, 1>>>(cupr_launch(2)));
