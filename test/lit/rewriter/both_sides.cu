// Code that only one side sees is rewritten as well.
// RUN: %rewritten %s %t | %filecheck %s

#ifdef __CUDA_ARCH__
#define EITHER __device__
__device__ int onlyDevice(int *p) { return *p; }
// CHECK: __device__ int onlyDevice(const cupr::Trace &cupr_trace, int *p)
#else
#define EITHER __host__ __device__
#endif

// Its attributes differ: the copy serves both sides, so its signature stays.
EITHER inline int mixed(int *p) { return *p; }
// CHECK: EITHER inline int mixed(int *p)

__global__ void kernel(int *p) {
#if __CUDA_ARCH__ >= 700
  p[0] = onlyDevice(p) + mixed(p);
  // CHECK: p[0] = onlyDevice(cupr_trace, p) + mixed(p);
#endif
}
#ifndef __CUDA_ARCH__
void host(int *p) { kernel<<<1, 1>>>(p); }
// CHECK: void host(int *p) { kernel<<<1, 1>>>(cupr_launch(0), p); }
#endif
