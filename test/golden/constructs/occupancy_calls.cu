/// Attributes and occupancy of kernels: the calls take the kernel's name, and answer as for the plain kernel.
#include "verdict.h"

__global__ void shared(int *out, int shift) {
  extern __shared__ int room[];
  room[threadIdx.x + shift] = int(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = room[(threadIdx.x ^ 1) + shift];
}
template <class T> __global__ void fill(T *out) { out[threadIdx.x] = T(threadIdx.x); }

int main() {
  Device<int> out(96);
  int *at = out;
  const int kBytes = 64 * 1024;
  MUST(cudaFuncSetAttribute(shared, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
  MUST(cudaFuncSetAttribute((const void *)&fill<int>, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
  MUST(cudaFuncSetCacheConfig(fill<int>, cudaFuncCachePreferL1));
  shared<<<1, 32, kBytes>>>(at, kBytes / 4 - 32);
  cudaFuncAttributes attributes;
  MUST(cudaFuncGetAttributes(&attributes, shared));
  int blocks = 0, least = 0, size = 0;
  MUST(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill<int>, 32, 0));
  MUST(cudaOccupancyMaxPotentialBlockSize(&least, &size, fill<int>, 0, 32));
  MUST(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&least, &size, &fill<int>, [](int) { return 0; }, 32));
  fill<<<1, size>>>(at + 32);
  fill<int><<<blocks > 0, 32>>>(at + 64);
  Verdict verdict("occupancy_calls");
  verdict.equal("sizes", std::vector<int>{attributes.maxDynamicSharedSizeBytes, size, least > 0}, {kBytes, 32, 1});
  verdict.equal("out", out.read(), generate<int>(96, [](std::size_t i) { return int(i < 32 ? i ^ 1 : i % 32); }));
  return verdict.finish();
}
