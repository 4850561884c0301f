#include "common.h"
__device__ double table[16];
__constant__ int limits[4];
extern __shared__ double dynamic[];
static __device__ unsigned long long steps;
__device__ float fromOther(unsigned t) { return scratch<float>[t % 8]; }
__global__ void second(double *out) {
  dynamic[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = dynamic[31 - threadIdx.x] + steps + scratch<int>[threadIdx.x % 8];
}
void runSecond(double *out) {
  unsigned long long zero = 0;
  cudaMemcpyToSymbol(steps, &zero, sizeof zero);
  second<<<1, 32, 256>>>(out);
}
