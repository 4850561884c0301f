/// A kernel that launches kernels. The launched ones run; the accesses of the launching one are traced. 1 block of 64: 4 threads launch 1 block of 16 each.
#include "verdict.h"

__global__ void child(int *out, int base) { out[base + threadIdx.x] += base; }
__global__ void parent(int *out) {
  out[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x < 4)
    child<<<1, 16>>>(out, 16 * threadIdx.x);
}

int main() {
  Device<int> out(64);
  parent<<<1, 64>>>(out);
  MUST(cudaDeviceSynchronize());
  Verdict verdict("nested_launches");
  verdict.equal("out", out.read(), generate<int>(64, [](std::size_t i) { return int(i + i / 16 * 16); }));
  return verdict.finish();
}
