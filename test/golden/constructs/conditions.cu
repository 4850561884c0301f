/// What one side or one architecture alone sees: conditions in bodies, around functions, launches and parameters.
#include "verdict.h"

#ifdef __CUDA_ARCH__
#define HERE 1
__device__ int onlyDevice(const int *in) { return in[threadIdx.x]; }
#else
#define HERE 2
static int onlyHost() { return HERE; }
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
__device__ int byArchitecture(const int *in) { return onlyDevice(in) + 70; }
#elif defined(__CUDA_ARCH__)
__device__ int byArchitecture(const int *in) { return onlyDevice(in); }
#else
__device__ int byArchitecture(const int *in);
#endif
#ifdef __CUDACC__
#define HD __host__ __device__
#else
#define HD
#endif
HD inline int either(const int *in) {
#if defined(__CUDA_ARCH__)
  return byArchitecture(in);
#else
  return *in;
#endif
}
#ifdef __CUDA_ARCH__
#define MIXED __device__
#else
#define MIXED __host__
#endif
MIXED inline int mixed(int value) { return value + HERE; }

__global__ void kernel(int *out, const int *in
#ifndef NO_OFFSET
                       , int offset
#endif
) {
#ifdef __CUDA_ARCH__
  out[threadIdx.x] = either(in) + offset + mixed(0);
#endif
}
#if 0
__global__ void never(int *out) { missing<<<1, 1>>>(out); }
#endif

int main() {
  Device<int> in(generate<int>(32, [](std::size_t i) { return int(i); })), out(32);
#if !defined(__CUDA_ARCH__)
  kernel<<<1, 32>>>(out, in, 1000);
#endif
  Verdict verdict("conditions");
  verdict.equal("out", out.read(), generate<int>(32, [](std::size_t i) { return int(i) + 1071; }));
#ifndef __CUDA_ARCH__
  const int here = 5;
  verdict.equal("host", std::vector<int>{either(&here), mixed(1), onlyHost()}, {5, 3, 2});
#endif
  return verdict.finish();
}
