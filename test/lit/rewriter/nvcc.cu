// nvcc takes the copies too.
// REQUIRES: nvcc
// RUN: %rewritten %s %t > %t.text
// RUN: cd %t && %nvcc -std=c++17 --extended-lambda -arch=sm_75 -c -o nvcc.o nvcc.cu

__device__ int load(const int *p) { return *p; }
struct Sum {
  int total;
  __device__ int operator()(const int *p) const { return total + load(p); }
};
template <class T> __global__ void kernel(T *p, int n = 2) { p[0] = load(p) + Sum{n}(p); }
template __global__ void kernel<int>(int *, int);
#define LAUNCH(k, ...) k<<<1, 32>>>(__VA_ARGS__)
__global__ void nothing() {}

void host(int *p) {
  kernel<<<1, 32>>>(p);
  cudaLaunchConfig_t config = {};
  cudaLaunchKernelEx(&config, kernel<int>, p, 1);
  LAUNCH(nothing);
  LAUNCH(kernel<int>, p, 1);
}
