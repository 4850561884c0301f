#include <cupr/cupr.h> // augmented by cuprewrite
#line 1 "occupancy_calls.cu"
/// Attributes and occupancy of kernels: the calls take the kernel's name, and answer as for the plain kernel.
#include "verdict.h"

__global__ void shared(const __grid_constant__ cupr::Trace cupr_trace, int *out, int shift) {
  extern __shared__ int room[];
  room[threadIdx.x + shift] = int(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = room[(threadIdx.x ^ 1) + shift];
}
template <class T> __global__ void fill(const __grid_constant__ cupr::Trace cupr_trace, T *out) { out[threadIdx.x] = T(threadIdx.x); }

int main() {
  Device<int> out(96);
  int *at = out;
  const int kBytes = 64 * 1024;
  MUST(cudaFuncSetAttribute(shared, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
  MUST(cudaFuncSetAttribute((const void *)&fill<int>, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
  MUST(cudaFuncSetCacheConfig(fill<int>, cudaFuncCachePreferL1));
  shared<<<1, 32, kBytes>>>(cupr_launch(0), at, kBytes / 4 - 32);
  cudaFuncAttributes attributes;
  MUST(cudaFuncGetAttributes(&attributes, shared));
  int blocks = 0, least = 0, size = 0;
  MUST(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill<int>, 32, 0));
  MUST(cudaOccupancyMaxPotentialBlockSize(&least, &size, fill<int>, 0, 32));
  MUST(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&least, &size, &fill<int>, [](int) { return 0; }, 32));
  fill<<<1, size>>>(cupr_launch(1), at + 32);
  fill<int><<<blocks > 0, 32>>>(cupr_launch(2), at + 64);
  Verdict verdict("occupancy_calls");
  verdict.equal("sizes", std::vector<int>{attributes.maxDynamicSharedSizeBytes, size, least > 0}, {kBytes, 32, 1});
  verdict.equal("out", out.read(), generate<int>(96, [](std::size_t i) { return int(i < 32 ? i ^ 1 : i % 32); }));
  return verdict.finish();
}
#ifndef CUPR_EDITS_HASH
#define CUPR_EDITS_HASH
CUPR_EDITS(HASH, "occupancy_calls.cu", "4:24+48 10:41+48 19:29+16 26:21+16 27:33+16")
#endif
