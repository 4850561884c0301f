// What a program defines itself is what it gets: functions, templates and macros with the names of those that
// clang lacks.
// RUN: %cuprxx --device=cpu --no-trace -std=c++11 -o %t %s && %t | %filecheck %s
// RUN: %cuprxx --device=cpu -std=c++20 -o %t %s && env CUPR_TRACE=off %t | %filecheck %s
#include <cstdio>

static __device__ __forceinline__ void __stcg(int *p, int) { *p = 100; }
template <class T> __device__ void __stcs(T *p, T) { *p = 101; }
template <class T> __device__ T __ldlu(const T *) { return 102; }
__device__ inline float __tanhf(float) { return 103; }
template <class T> T min(T, T) { return 104; }
inline int max(int, int) { return 105; }
template <class A, class B> auto umin(A a, B b) -> decltype(a + b) { return 106; }
inline unsigned umax(unsigned, unsigned) { return 107; }
#define ullmin(a, b) 108
static __device__ double nan(const char *) { return 0; } // for clang, which only declares it
namespace own {
int llmin(int, int) { return 109; }
int call() { return llmin(1, 2); }
} // namespace own

__global__ void kernel(int *p, float *f) {
  __stcg(p, 1);
  __stcs(p + 1, 2);
  p[2] = __ldlu(p);
  p[3] = int(__tanhf(1));
  f[0] = nan("");
}

int main() {
  int *p;
  float *f;
  cudaMallocManaged(&p, 4 * sizeof(int));
  cudaMallocManaged(&f, sizeof(float));
  kernel<<<1, 1>>>(p, f);
  cudaDeviceSynchronize();
  // CHECK: 100 101 102 103
  std::printf("%d %d %d %d\n", p[0], p[1], p[2], p[3]);
  // CHECK: 104 105 106 107 108 109
  std::printf("%d %d %u %u %d %d\n", min(1, 2), max(1, 2), umin(1u, 2), umax(1, 2), ullmin(1, 2), own::call());
}
