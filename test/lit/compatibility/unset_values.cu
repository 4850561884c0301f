// A value that one lane alone has set, handed to the others: the rest of them hand on what is not set, which nvcc takes for any value.
// RUN: %cuprxx --device=both -O2 -arch=sm_90 -o %t %s && env CUPR_TRACE=%t.cuprtrace %t | %filecheck %s
// RUN: %cupranalyze verify %t.cuprtrace
// RUN: %cuprxx --device=cpu --no-trace -O2 -o %t %s && %t | %filecheck %s
#include <cstdio>

__device__ int position;

__global__ void places(int *out) {
  const int lane = threadIdx.x % 32;
  int place;
  if (lane == 0)
    place = atomicAdd(&position, 1);
  place = __shfl_sync(0xffffffffu, place, 0);
  out[threadIdx.x] = place;
}

int main() {
  int *out, count, last;
  cudaMalloc(&out, 256 * sizeof *out);
  places<<<1, 256>>>(out);
  cudaMemcpyFromSymbol(&count, position, sizeof count);
  cudaMemcpy(&last, out + 255, sizeof last, cudaMemcpyDeviceToHost);
  // CHECK: 8 places, the last of fewer: 1
  std::printf("%d places, the last of fewer: %d\n", count, last < count);
}
